import Longwave

/// Icecast's status with gaps for the server's address, which each client knows by another name. The page is written
/// once for all clients.
struct IcecastStatusTemplate {
  /// The texts between the gaps; `takesBase` tells whether a gap takes the base or the host only.
  private let texts: [[UInt8]]
  private let takesBase: [Bool]

  init(_ stations: [MonitoredStation], _ figures: RelayFigures) {
    // A random mark, which no title can contain because no client can know it.
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

  /// Returns the page for a client that uses `base`.
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
