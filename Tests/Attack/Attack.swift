/// One thing a stranger does to the relay, small enough to be written on a line and done again.
struct Attack: Hashable, Sendable {
  /// What the bytes are, and where they go.
  enum Way: String, CaseIterable, Sendable {
    /// All that is sent on a connection of its own.
    case tcp, unix, tls
    /// The same, to the port of SHOUTcast's sources.
    case shoutcast
    /// The whole answer of a server that the relay asks: for audio, for a title, who may listen.
    case upstream, page, auth
    /// A configuration, which is only read.
    case config
    /// The name of one of `Siege.all`.
    case siege

    /// Whether it is sent to the relay.
    var isConnection: Bool { [.tcp, .unix, .tls, .shoutcast].contains(self) }
  }

  var way: Way
  var bytes: [UInt8]
  /// Which table it comes from: an operation and the part of it that is odd. Two with the same are of one kind.
  var place: String
  /// A request and nothing else, behind which another one may follow on the connection.
  var isPlain = false
  /// HEAD: its answer has no body.
  var isHead = false
}

extension Attack {
  /// Long, and in braces.
  var isOddBody: Bool {
    way.isConnection && bytes.count > 3000 && bytes.contains(UInt8(ascii: "{"))
  }

  /// Behind the way, of what is no whole request: nobody waits long for its answer.
  private static let rawMark = "-raw"

  /// How it is written after `--replay`.
  var line: String {
    way.rawValue + (isPlain || !way.isConnection ? "" : Self.rawMark) + " "
      + AttackText.encode(bytes)
  }

  init?(line: String) {
    guard let blank = line.firstIndex(of: " ") else { return nil }
    let isRaw = line[..<blank].hasSuffix(Self.rawMark)
    let word = line[..<blank].dropLast(isRaw ? Self.rawMark.count : 0)
    guard let way = Way(rawValue: String(word)),
      let bytes = AttackText.decode(line[line.index(after: blank)...])
    else { return nil }
    self.init(way: way, bytes: bytes, place: "replay", isPlain: way.isConnection && !isRaw)
    isHead = bytes.starts(with: "HEAD ".utf8)
  }
}
