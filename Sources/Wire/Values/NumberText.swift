/// Numbers as people read them.
public enum NumberText {
  /// Returns a whole number with its thousands apart: `12,008`.
  public static func grouped(_ number: Int) -> String {
    let digits = Array(String(number.magnitude).utf8)
    var text: [UInt8] = number < 0 ? [UInt8(ascii: "-")] : []
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text.append(UInt8(ascii: ",")) }
      text.append(digit)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
