/// A path at a station, as the table of operations writes it: `/{station}`, `/{station}.m3u`, `/{station}/clip`. Each
/// further part in braces stands for any one part.
package struct PathPattern: Sendable, ExpressibleByStringLiteral {
  /// What stands behind the station's name.
  enum Tail: Hashable, Sendable {
    case nothing
    /// The end of the name's last part.
    case ending(String)
    /// Parts below the name; nil for one that may be any.
    case parts([String?])
  }

  package let text: String
  let tail: Tail

  private static let station = "/{station}"

  package init(stringLiteral text: String) {
    precondition(text.hasPrefix(Self.station), "a served path begins with its station")
    let rest = text.dropFirst(Self.station.count)
    self.text = text
    tail =
      if rest.isEmpty {
        .nothing
      } else if rest.hasPrefix("/") {
        .parts(rest.split(separator: "/").map { $0.hasPrefix("{") ? nil : String($0) })
      } else {
        .ending(String(rest))
      }
  }

  /// Returns the name in front of the tail, and the parts that stand where any may; nil where the path ends otherwise.
  func match(_ path: Substring) -> (name: Substring, parts: [String])? {
    var name = path.utf8
    switch tail {
    case .nothing: return (path, [])
    case .ending(let ending):
      guard name.suffix(ending.utf8.count).elementsEqual(ending.utf8) else { return nil }
      return (Substring(name.dropLast(ending.utf8.count)), [])
    case .parts(let wanted):
      var parts: [String] = []
      for want in wanted.reversed() {
        guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let part = name[slash...].dropFirst()
        if let want {
          guard part.elementsEqual(want.utf8) else { return nil }
        } else {
          if part.isEmpty { return nil }
          parts.append(String(Substring(part)))
        }
        name = name[..<slash]
      }
      return (Substring(name), parts.reversed())
    }
  }
}
