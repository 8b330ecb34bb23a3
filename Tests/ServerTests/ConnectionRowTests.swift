import Testing
import Timeshift
import Wire

@testable import Server

/// The life of a connection, by what can happen to it.
struct ConnectionRowTests {
  /// A state, with what else decides.
  private enum Case: String, CaseIterable {
    case free, shakingHands
    /// Nothing has come of a request.
    case new, kept, awaitingHello
    /// Part of a request has come.
    case asking, loggingIn, bringingBody
    case answering, replying, replyingBlocked, sendingClip, sendingFile, sendingSamples
    case joining, listening, watching, lingering, lingeringBlocked

    private static let head = HTTPRequestHead(method: "GET", target: "/", path: "/")

    var row: ConnectionRow {
      get throws {
        switch self {
        case .free: ConnectionRow(.free, .init())
        case .shakingHands: ConnectionRow(.shakingHands, .init())
        case .new: ConnectionRow(.reading([]), .init())
        case .kept: ConnectionRow(.reading([]), .init(hasServed: true))
        case .awaitingHello: ConnectionRow(.reading([]), .init(awaitsHello: true))
        case .asking: ConnectionRow(.reading([71]), .init(hasServed: true))
        case .loggingIn: ConnectionRow(.reading([71]), .init(isLogin: true))
        case .bringingBody: ConnectionRow(.readingBody(RequestBody(Self.head)), .init())
        case .answering: ConnectionRow(.answering(Self.head, ahead: []), .init())
        case .replying: ConnectionRow(Self.reply(), .init())
        case .replyingBlocked: ConnectionRow(Self.reply(), .init(isBlocked: true))
        case .sendingClip: ConnectionRow(Self.reply(NoBody()), .init(isBlocked: true))
        case .sendingFile:
          ConnectionRow(Self.reply(NoBody()), .init(hearsFile: true, isBlocked: true))
        case .sendingSamples:
          ConnectionRow(Self.reply(NoBody()), .init(hearsSamples: true, isBlocked: true))
        case .joining: try ConnectionRow(.joining(Self.joining()), .init())
        case .listening: ConnectionRow(.listening(shard: 2, index: 5), .init())
        case .watching: ConnectionRow(.watching(Self.watch()), .init())
        case .lingering: ConnectionRow(.lingering, .init())
        case .lingeringBlocked: ConnectionRow(.lingering, .init(isBlocked: true))
        }
      }
    }

    private static func reply(_ body: NoBody? = nil) -> Connection.State {
      let sending = body.map { Sending(1, $0, for: nil, patience: nil, now: 0) }
      return .replying(Reply([1], sending: sending, keepsAlive: true, ahead: [], now: 0))
    }

    private static func joining() throws -> Connection.Joining {
      .init(
        head: head, request: try StreamRequest(head, now: .epoch, in: .utc), station: "jazz",
        counters: MountCounters())
    }

    private static func watch() -> EventWatch {
      EventWatch(of: EventFeed(EventFilter()), after: 0, pending: [], endsAt: .max, now: 0)
    }
  }

  private final class NoBody: Body {
    let cursor = MediaTime.zero
    let isOut = false
    func wantsShare(now: Int64) -> Bool { false }
    func next(
      limit: Int, scratch: UnsafeMutableRawBufferPointer, isPrompt: Bool, now: Int64
    ) -> BodyStep { .out }
    func took(_ count: Int, isAll: Bool, now: Int64) {}
  }

  /// Holds one cell of all rows against what is expected of some, and of the others.
  private func expect<Value: Equatable>(
    _ cell: (ConnectionRow) -> Value, _ some: [Case: Value], others: Value
  ) throws {
    for of in Case.allCases {
      let value = try cell(of.row)
      #expect(value == some[of] ?? others, "\(of)")
    }
  }

  @Test func `a client that sends no more is kept as long as it has something to read`() throws {
    try expect(
      \.inputEnd,
      [
        .free: .wait, .answering: .hurryAnswer, .replying: .hurryReply,
        .replyingBlocked: .hurryReply, .sendingClip: .hurryReply, .sendingFile: .hurryReply,
        .sendingSamples: .hurryReply, .joining: .hurryJoin, .listening: .listenOn,
        .watching: .readNoMore, .lingeringBlocked: .readNoMore,
      ], others: .close(.clientGone))
  }

  @Test func `a socket that has room again gets what waits for it`() throws {
    try expect(
      \.writable,
      [
        .shakingHands: .shakeHands, .replying: .sendReply, .replyingBlocked: .sendReply,
        .sendingClip: .sendReply, .sendingFile: .sendReply, .sendingSamples: .sendReply,
        .listening: .serve(shard: 2, index: 5), .watching: .sendEvents, .lingering: .sayEnd,
        .lingeringBlocked: .sayEnd,
      ], others: .wait)
  }

  @Test func `a client is told that its time is up if it has asked for something`() throws {
    try expect(
      \.deadline,
      [
        .free: .wait, .joining: .wait, .shakingHands: .abandonHandshake, .asking: .answerTimeout,
        .bringingBody: .answerTimeout, .answering: .answerUnavailable,
        .sendingFile: .close(.pauseTimeout), .listening: .endListener(.listeningTime),
      ], others: .close(.clientGone))
  }

  @Test func `a server that stops ends what would last, and lets requests be answered`() throws {
    try expect(
      \.drain,
      [
        .kept: .close(.draining), .sendingFile: .endReply(.draining),
        .sendingSamples: .endReply(.draining),
        .listening: .endListener(.draining), .watching: .close(.draining),
      ], others: .wait)
    let closed = ConnectionRow.Act.close(.draining)
    try expect(
      \.grace,
      [
        .shakingHands: closed, .new: closed, .kept: closed, .awaitingHello: closed,
        .asking: closed, .loggingIn: closed, .bringingBody: closed,
      ], others: .wait)
  }

  @Test func `a connection makes room for another only while it waits for its client`() throws {
    try expect(
      \.eviction,
      [
        .shakingHands: .abandonHandshake, .free: .wait, .answering: .wait, .replying: .wait,
        .sendingClip: .wait, .sendingFile: .wait, .sendingSamples: .wait, .joining: .wait,
        .listening: .wait, .watching: .wait,
      ], others: .close(.clientGone))
  }

  @Test func `a standstill of the loop puts off all but listening times`() throws {
    try expect(\.isPutOff, [.free: false, .listening: false], others: true)
  }

  @Test func `a connection that goes gives back what its state has taken`() throws {
    try expect(
      \.leave,
      [
        .shakingHands: .handshake, .awaitingHello: .hello, .replying: .reply,
        .replyingBlocked: .reply, .sendingClip: .reply, .sendingFile: .reply,
        .sendingSamples: .reply, .joining: .queue,
        .listening: .shard, .watching: .watch,
      ], others: .nothing)
    try expect(\.lingers, [.listening: true], others: false)
  }
}
