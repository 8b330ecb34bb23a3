/// One parser, fed with whatever libFuzzer thinks of.
///
/// `run` traps where a promise of the parser is broken; the sanitizers see to the rest.
struct FuzzTarget: Sendable {
  let name: String
  /// What it begins with: small, and each a different shape.
  let seeds: [[UInt8]]
  let run: @Sendable ([UInt8]) -> Void

  static let all: [FuzzTarget] =
    [requestHead, chunks, conditions, globs, addresses, proxyHeader, sourceLogin]
    + [hlsRequest, hlsPackets, blocks, titles, frames, ogg, body, headers, leadIn, seam, station]
    + [playlist, stationList, trackList, xml, titlePage, json, values, index, recovery]
}

/// The beginning of an input, which says how the rest is to be used.
struct FuzzInput {
  private(set) var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  mutating func byte() -> Int { Int(rest.popFirst() ?? 0) }

  /// What is left, and the same in pieces whose lengths the input chooses.
  mutating func whole() -> (bytes: [UInt8], pieces: [[UInt8]]) {
    let lengths = [byte(), byte()].map { $0 + 1 }
    let bytes = Array(rest)
    var pieces: [[UInt8]] = []
    var left = rest
    while !left.isEmpty {
      let count = min(lengths[pieces.count % 2] * (1 + pieces.count / 64), left.count)
      pieces.append(Array(left.prefix(count)))
      left = left.dropFirst(count)
    }
    return (bytes, pieces)
  }
}

/// A broken promise.
func promise(_ isKept: Bool, _ what: @autoclosure () -> String) {
  if !isKept { fatalError(what()) }
}

extension String {
  var bytes: [UInt8] { Array(utf8) }

  /// Whether a header or a line could end inside it.
  var hasControls: Bool { unicodeScalars.contains { $0.value < 32 || $0.value == 127 } }
}
