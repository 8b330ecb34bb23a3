/// What one listener heard, taken apart.
public struct HeardStream: Sendable {
  public var head: StreamClient.Head
  /// Without ICY blocks.
  public var audio: [UInt8]
  /// At which audio byte each title stood.
  public var titles: [(at: Int, title: String)]

  /// The numbers of its packets; throws where a packet is torn.
  public func numbers(mayEndInFrame: Bool = true) throws -> [UInt64] {
    try NumberedFrames.numbers(in: audio, mayEndInFrame: mayEndInFrame)
  }
}

extension Crowd.Member {
  public struct NoAnswer: Error, CustomStringConvertible {
    public var description: String
  }

  /// Takes apart what was received.
  public func heard() throws -> HeardStream {
    guard let length = headLength else {
      let start = String(decoding: received.prefix(200), as: UTF8.self)
      throw NoAnswer(description: "\(wish.path): no head: \(start)")
    }
    let head = StreamClient.Head(String(decoding: received[..<length], as: UTF8.self))
    let body = Array(received[length...])
    guard head.status == 200 else {
      throw NoAnswer(
        description: "\(wish.path): \(head.statusLine): \(String(decoding: body, as: UTF8.self))")
    }
    guard let metaint = head["icy-metaint"].flatMap(Int.init) else {
      return HeardStream(head: head, audio: body, titles: [])
    }
    let (audio, titles) = StreamClient.deinterleave(body, metaint: metaint)
    return HeardStream(head: head, audio: audio, titles: titles)
  }

  /// The longest time without a byte between two moments, both ends included.
  public func longestSilence(from start: Double, to end: Double) -> Double {
    let times = [start] + arrivals.map(\.at).filter { $0 > start && $0 < end } + [end]
    return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? 0
  }

  /// When the first byte after a moment came.
  public func firstArrival(after moment: Double) -> Double? {
    arrivals.first { $0.at > moment }?.at
  }

  private var headLength: Int? {
    let limit = min(received.count, 16_384)
    guard limit >= 4 else { return nil }
    return (0...(limit - 4)).first { received[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
      .map { $0 + 4 }
  }
}

/// Whether every number follows the one before it.
public func areUnbroken(_ numbers: [UInt64]) -> Bool {
  zip(numbers, numbers.dropFirst()).allSatisfy { $0 + 1 == $1 }
}
