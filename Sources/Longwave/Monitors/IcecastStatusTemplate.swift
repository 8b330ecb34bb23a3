/// Icecast's status with places for what each client calls this server: written once for all of them.
struct IcecastStatusTemplate {
  /// What stands between the places, and whether a place takes the base or the host only.
  private let texts: [[UInt8]]
  private let takesBase: [Bool]

  init(_ stations: [MonitoredStation], _ figures: RelayFigures) {
    // A word that no title can hold, since nobody can know it.
    let mark = "\(String(UInt64.random(in: .min ... .max), radix: 36))-"
    let text = IcecastStatus(
      stations: stations, figures: figures, base: mark + "b", host: mark + "h"
    ).json.text
    var texts: [[UInt8]] = []
    var takesBase: [Bool] = []
    for piece in text.split(separator: mark, omittingEmptySubsequences: false) {
      guard !texts.isEmpty else {
        texts.append(Array(piece.utf8))
        continue
      }
      takesBase.append(piece.first == "b")
      texts.append(Array(piece.dropFirst().utf8))
    }
    (self.texts, self.takesBase) = (texts, takesBase)
  }

  /// The page for a client.
  func bytes(base: String) -> [UInt8] {
    func inside(_ text: String) -> [UInt8] { JSON.string(text).bytes.dropFirst().dropLast() }
    let (base, host) = (inside(base), inside(WebURL.parts(of: base).host))
    var bytes = texts.first ?? []
    for (takesBase, text) in zip(takesBase, texts.dropFirst()) {
      bytes += takesBase ? base : host
      bytes += text
    }
    return bytes
  }
}
