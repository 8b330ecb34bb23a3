import Foundation
import Longwave
import TestSupport
import Testing

/// Stations of files, by the whole relay.
@Suite struct FileScenarioTests {
  /// Two folders with a file of the same name, and one that only the first has.
  private struct Folders {
    let data = TemporaryDirectory()
    let first = NumberedFrames.stream(0..<1200)
    let second = NumberedFrames.stream(5000..<6200)

    init() throws {
      for folder in ["first", "second"] {
        try FileManager.default.createDirectory(
          atPath: path(folder), withIntermediateDirectories: true)
      }
      data.write("first/show.mp3", first)
      data.write("second/show.mp3", second)
      data.write("first/old.mp3", first)
    }

    func path(_ folder: String) -> String { data.path + "/" + folder }
  }

  private func shows(_ folder: String, bypass: Double = 3600) -> StationDefinition {
    StationDefinition(id: "shows", source: .files(folder, throttleBypass: bypass))
  }

  private func listen(
    _ relay: TestRelay, _ target: String, _ fields: String = "", method: String = "GET"
  ) throws -> StreamClient {
    try StreamClient(
      to: relay.address,
      sending:
        "\(method) \(target) HTTP/1.1\r\nHost: radio.test\r\n\(fields)Connection: close\r\n\r\n"
    )
  }

  private func fetch(
    _ relay: TestRelay, _ target: String, _ fields: String = "", method: String = "GET"
  ) async throws -> StreamClient {
    let client = try listen(relay, target, fields, method: method)
    try await client.until("its end") { $0.isEnded }
    return client
  }

  @Test func `a file heard to its end is told as complete, a part of it is not`() async throws {
    let folders = try Folders()
    try await Scenario.withRelay([shows(folders.path("first"))]) { relay in
      let events = try relay.events("?station=shows&kinds=file-complete")
      let part = try await fetch(relay, "/shows/old.mp3", "Range: bytes=0-99999\r\n")
      #expect(part.bodyCount == 100_000)
      let tags = try await fetch(relay, "/shows/old.mp3", "Range: bytes=-128\r\n")
      #expect(tags.bodyCount == 128)
      let head = try await fetch(relay, "/shows/old.mp3", method: "HEAD")
      #expect(try head.head().status == 200 && head.bodyCount == 0)
      let whole = try await fetch(relay, "/shows/show.mp3")
      #expect(whole.body == folders.first)
      let rest = try await fetch(relay, "/shows/show.mp3?at=10")
      #expect(try NumberedFrames.numbers(in: rest.body).last == 1199)
      func complete() -> [EventClient.Event] { events.events.filter { $0.kind == "file-complete" } }
      try await eventually("both are told") { complete().count >= 2 }
      for event in complete() {
        #expect(event.json["station"]?.string == "shows")
        #expect(event.json["path"]?.string == "show.mp3")
        #expect(event.json["listener"]?.integer ?? 0 > 0)
      }
      #expect(complete().count == 2)
      withExtendedLifetime((events, folders)) {}
    }
  }

  @Test func `a new folder is served after a reload, and files being heard go on to their end`()
    async throws
  {
    let folders = try Folders()
    try await Scenario.withRelay([shows(folders.path("first"), bypass: 1)]) { relay in
      let listener = try listen(relay, "/shows/show.mp3")
      try await listener.until("the beginning") { $0.bodyCount > 10_000 }
      var configuration = await relay.relay.configuration
      configuration.stations = [shows(folders.path("second"), bypass: 3600)]
      let report = try await relay.relay.apply(configuration)
      #expect(report.changed == ["shows"] && report.added.isEmpty && report.removed.isEmpty)
      #expect(try await fetch(relay, "/shows/show.mp3").body == folders.second)
      #expect(try await fetch(relay, "/shows/old.mp3").head().status == 404)
      let list = try await relay.get("/shows.m3u").text
      #expect(list.contains("/shows/show.mp3") && !list.contains("old.mp3"))
      // What was begun by the old rules goes on by the new ones, or the old: but it is that file.
      let before = listener.bodyCount
      try await listener.until("more") { $0.bodyCount > before + 20_000 }
      #expect(listener.body == Array(folders.first.prefix(listener.bodyCount)))

      // One file in the place of a folder, and a folder that is not there.
      configuration.stations = [shows(folders.path("first/old.mp3"))]
      #expect(try await relay.relay.apply(configuration).changed == ["shows"])
      #expect(try await fetch(relay, "/shows").body == folders.first)
      #expect(try await fetch(relay, "/shows/show.mp3").head().status == 404)
      configuration.stations = [shows(folders.path("none"))]
      #expect(try await relay.relay.apply(configuration).changed == ["shows"])
      #expect(try await fetch(relay, "/shows/show.mp3").head().status == 503)
      #expect(try await relay.relay.apply(configuration).changed.isEmpty)
      withExtendedLifetime((listener, folders)) {}
    }
  }

  @Test func `files are for those who have a token`() async throws {
    let folders = try Folders()
    var station = shows(folders.path("first"))
    station.auth = AuthSettings()
    station.auth?.tokens = ["first-token", "other-token"]
    try await Scenario.withRelay([station]) { relay in
      for query in ["?token=other-token", "?token=first-token&at=0"] {
        #expect(try await fetch(relay, "/shows/show.mp3\(query)").body == folders.first)
      }
      let part = try await fetch(
        relay, "/shows/show.mp3?token=first-token", "Range: bytes=5-9\r\n")
      #expect(part.body == Array(folders.first[5..<10]))
      #expect(
        try await fetch(relay, "/shows/show.mp3?token=first-token", method: "HEAD").head().status
          == 200)
      for target in [
        "/shows/show.mp3", "/shows/show.mp3?token=", "/shows/show.mp3?token=first-toke",
        "/shows/show.mp3?from=1&to=2&loop=1", "/shows/none.mp3", "/shows/none.mp3?token=x",
      ] {
        for method in ["GET", "HEAD"] {
          for fields in ["", "Range: bytes=0-\r\n", "If-None-Match: *\r\n"] {
            let refused = try await fetch(relay, target, fields, method: method)
            // Also of what is not there: nobody learns which files there are.
            #expect(try refused.head().status == 403, "\(method) \(target) \(fields)")
          }
        }
      }
      #expect(try await fetch(relay, "/shows/none.mp3?token=first-token").head().status == 404)
      // A playlist hands on what it was asked with.
      let list = try await relay.get("/shows.m3u?token=first-token").text
      #expect(list.contains("/shows/show.mp3?token=first-token"))
      withExtendedLifetime(folders) {}
    }
  }

  @Test func `files are for users with a password`() async throws {
    let folders = try Folders()
    let users = folders.path("users")
    // bcrypt of "secret".
    try "anna:$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n"
      .write(toFile: users, atomically: true, encoding: .utf8)
    var station = shows(folders.path("first"))
    station.auth = AuthSettings()
    station.auth?.passwordFile = users
    try await Scenario.withRelay([station]) { relay in
      func basic(_ credentials: String) -> String {
        "Authorization: Basic \(Data(credentials.utf8).base64EncodedString())\r\n"
      }
      try await eventually("the file is read") {
        try await fetch(relay, "/shows/show.mp3", basic("anna:secret")).head().status == 200
      }
      #expect(try await fetch(relay, "/shows/show.mp3", basic("anna:secret")).body == folders.first)
      for fields in ["", basic("anna:Secret"), basic("bert:secret")] {
        let refused = try await fetch(relay, "/shows/show.mp3", fields).head()
        #expect(refused.status == 401)
        #expect(refused["www-authenticate"] == #"Basic realm="shows", charset="UTF-8""#)
      }
      withExtendedLifetime(folders) {}
    }
  }
}
