import Reactor
import TestSupport
import Testing
import Wire

@testable import Ingest

@Suite struct AudioBodyTests {
  private static let frames = (0..<40).map { NumberedFrames.frame(UInt64($0)) }
  private static let audio = frames.flatMap { $0 }

  private func body(_ fields: [(String, String)] = [], type: AudioType? = nil) -> AudioBody {
    let body = AudioBody(type: type, titles: TitleReader(UpstreamSettings(urls: [])))
    body.answered(fields.map { ($0.0, Array($0.1.utf8)) })
    return body
  }

  private func packets(_ arrivals: Arrivals?) -> [[UInt8]] {
    (arrivals?.items ?? []).compactMap {
      if case .packet(let packet) = $0 { Array(arrivals?.bytes[packet.range] ?? []) } else { nil }
    }
  }

  @Test(arguments: [1, 5, 15, 16, 17, 1000])
  func `the first bytes are given out once, and are the audio's first, however the body is cut`(
    size: Int
  ) {
    let body = body()
    var (found, begun) = ([[UInt8]](), 0)
    for from in stride(from: 0, to: Self.audio.count, by: size) {
      let piece = Array(Self.audio[from..<min(from + size, Self.audio.count)])
      switch body.read(piece.span) {
      case .nothing: #expect(begun == 0)
      case .beginning(let bytes):
        begun += 1
        #expect(bytes == Array(Self.audio.prefix(from + size)) && bytes.count >= 16)
        #expect(body.kind(of: bytes, from: "http://a/") == .audio)
        body.beginAudio()
        found += packets(body.readBeginning(bytes))
      case .audio(let arrivals): found += packets(arrivals)
      }
    }
    found += packets(body.finish())
    #expect(begun == 1 && found == Self.frames)
    #expect(body.bytes.received == UInt64(Self.audio.count) && body.hasPackets)
  }

  @Test func `a body that ends early gives out what there is, once`() {
    let body = body()
    #expect(body.wholeBeginning() == nil)
    guard case .nothing = body.read([1, 2, 3].span) else { return #expect(Bool(false)) }
    #expect(body.wholeBeginning() == [1, 2, 3])
    #expect(body.wholeBeginning() == nil)
  }

  @Test func `a body that was ended brings nothing more, and has no fault`() {
    let body = body()
    body.beginAudio()
    body.end()
    #expect(body.readBeginning(Self.audio) == nil && body.fault == nil && body.isOver)
    guard case .nothing = body.read(Self.audio.span) else { return #expect(Bool(false)) }
  }

  @Test func `a body gives nothing before its answer`() {
    let body = AudioBody(type: nil, titles: TitleReader(UpstreamSettings(urls: [])))
    guard case .nothing = body.read(Self.audio.span) else { return #expect(Bool(false)) }
    #expect(body.wholeBeginning() == nil)
  }

  @Test func `a packing is named where the bytes are packed, and nowhere else`() {
    #expect(body([("Content-Encoding", "gzip")]).packing(of: [0x1F, 0x8B, 8]) == "gzip")
    #expect(body([("Content-Encoding", "gzip")]).packing(of: Self.audio) == nil)
    #expect(body().packing(of: [0x1F, 0x8B, 8]) == nil)
  }

  @Test func `a body of known length is whole when so many bytes have come`() {
    let body = body([("Content-Length", "20")])
    _ = body.read([UInt8](repeating: 0, count: 19).span)
    #expect(!body.isWhole)
    body.count(1)
    #expect(body.isWhole)
    #expect(!self.body().isWhole)
  }

  @Test(arguments: [
    (AudioType?.none, "64 KiB without an audio frame"), (.aac, "64 KiB without an aac frame"),
  ])
  func `a body without an audio frame in 64 KiB is at fault`(type: AudioType?, reason: String) {
    let body = body(type: type)
    body.beginAudio()
    #expect(body.fault == nil)
    _ = body.readBeginning([UInt8](repeating: 7, count: 100 * 1024))
    #expect(body.fault?.reason == reason && body.fault?.isHopeless == true)
  }

  @Test func `title blocks that nobody announced are a remark`() {
    let body = body()
    body.beginAudio()
    var wire: [UInt8] = []
    for (index, start) in stride(from: 0, to: Self.audio.count - 1000, by: 1000).enumerated() {
      wire += Self.audio[start..<start + 1000] + ICYBlock.bytes(for: Title(text: "Title \(index)"))
    }
    #expect(body.remark == nil)
    for from in stride(from: 0, to: wire.count, by: 1000) {
      _ = body.read(Array(wire[from..<min(from + 1000, wire.count)]).span)
    }
    #expect(body.remark?.contains("every 1000 bytes") == true)
  }
}

@Suite struct UpstreamEndTests {
  @Test(arguments: [
    (UpstreamEnd.programEnded(reason: "x", isHopeless: true), UpstreamLoss?.some(.program), true),
    (.programEnded(reason: "x", isHopeless: false), .program, false),
    (.failed(reason: "x"), .failed, false), (.disconnected(reason: "x"), .closed, false),
    (.saidGoodbye(reason: "x"), .closed, false), (.empty, .closed, true),
    (.status(404), .failed, true), (.status(503, retryAfter: 5), .failed, false),
    (.fileComplete(isLast: true), .ended, false), (.notAudio(reason: "x"), .notAudio, true),
    (.timedOut(reason: "x"), .timeout, false), (.tooSlow(rate: 0.5), .tooSlow, false),
    (.playlist([], from: .world), nil, false),
  ])
  func `an end says what it costs, and whether waiting cures it`(
    end: UpstreamEnd, loss: UpstreamLoss?, isHopeless: Bool
  ) {
    #expect(end.loss == loss && end.isHopeless == isHopeless)
  }
}
