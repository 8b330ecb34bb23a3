// The standard library has Unicode's tables, and only the interface that Foundation uses leads to them.
@_spi(_Unicode) import Swift

extension String {
  /// The text in Unicode's normal form C, which is the same in all later versions of Unicode.
  ///
  /// The work on a run of combining marks grows with its square, so who calls bounds the text.
  var inNormalFormC: String {
    // The first character that may change, U+0300, begins with 0xCC.
    if utf8.allSatisfy({ $0 < 0xCC }) { return self }
    var scalars = UnicodeScalarView()
    scalars.append(contentsOf: _nfc)
    return String(scalars)
  }
}
