import Reactor
import TestSupport
import Testing

@testable import Ingest

@Suite struct PictureFetchTests {
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [1, 2, 3]

  private func fetch(
    _ reply: FakeReply, isOwn: Bool = true, by station: IngestHarness
  ) async throws -> Result<FetchedPicture, PictureFailure> {
    let upstream = try FakeUpstream(.numbered())
    defer { upstream.stop() }
    upstream.reply("/a.png", with: reply)
    upstream.reply("/b.png", with: .file(Self.png, mediaType: "text/html"))
    return await station.ingest.picture(
      at: upstream.url("/a.png"), isOwn: isOwn, by: UpstreamSettings(urls: []))
  }

  private func reason(_ result: Result<FetchedPicture, PictureFailure>) -> String {
    if case .failure(let failure) = result { failure.reason } else { "it is a picture" }
  }

  @Test func `a picture is taken by its bytes, whatever its server says it is`() async throws {
    let station = try IngestHarness()
    for reply in [
      FakeReply.file(Self.png, mediaType: "application/octet-stream"), .redirect(to: "/b.png"),
    ] {
      let picture = try await fetch(reply, by: station).get()
      #expect(picture == FetchedPicture(mediaType: "image/png", bytes: Self.png))
    }
    _ = await station.finish()
  }

  @Test func `a reply that is no picture is refused with the reason`() async throws {
    let station = try IngestHarness()
    let long = Self.png + [UInt8](repeating: 0, count: 2 << 20)
    for (reply, wanted) in [
      (FakeReply.file(Array("<svg/>".utf8), mediaType: "image/png"), "it is no picture"),
      (.file([], mediaType: "image/png"), "it is no picture"),
      (.file(long, mediaType: "image/png"), "it is longer than 2 MiB"),
      (.status(404), "its server answered 404"), (.silence, "it took too long"),
      (.redirect(to: "file:///etc/passwd"), "redirected to"),
    ] {
      let result = try await fetch(reply, by: station)
      #expect(reason(result).contains(wanted), "\(reason(result))")
    }
    _ = await station.finish()
  }

  @Test func `strangers' addresses do not lead into this machine`() async throws {
    let station = try IngestHarness()
    let result = try await fetch(
      .file(Self.png, mediaType: "image/png"), isOwn: false, by: station)
    #expect(reason(result).contains("allow-private"), "\(reason(result))")
    _ = await station.finish()
  }

  @Test func `a picture on its way ends with the relay`() async throws {
    let station = try IngestHarness()
    async let result = fetch(.silence, by: station)
    try await Task.sleep(for: .milliseconds(300))
    await station.ingest.shutdown()
    #expect(try await reason(result) == "the relay ends")
    let late = await station.ingest.picture(
      at: "http://127.0.0.1/", isOwn: true, by: UpstreamSettings(urls: []))
    #expect(reason(late) == "the relay ends")
    station.loop.stop()
  }
}
