import Longwave
import TestSupport
import Testing

/// `/api/v1/openapi.json` against the server it describes.
@Suite struct DescriptionScenarioTests {
  private static let bearer = "Authorization: Bearer \(Scenario.token)"

  private func withDescription(
    _ body: (TestRelay, Description) async throws -> Void
  ) async throws {
    let titles = [FakeProgramme.TitleChange(packet: 0, "Miles Davis - So What")]
    let upstream = try FakeUpstream(.numbered(before: 100, titles: titles))
    defer { upstream.stop() }
    var stream = FakeStream(burst: 6)
    stream.metaint = 4000
    upstream.reply("/live", with: .stream(stream, fields: [("icy-name", "Jazz FM")]))
    let stations = [
      StationDefinition(id: "jazz", upstream: [upstream.url("/live")]),
      StationDefinition(id: "rock", upstream: [upstream.url("/live")]),
      StationDefinition(id: "empty", upstream: [upstream.url("/none")]),
    ]
    try await Scenario.withRelay(stations, change: { $0.server.paths = ["/tmp"] }) { relay in
      for id in ["jazz", "rock"] { try await relay.until(id, has: 5) }
      try await relay.until("empty", is: "failed")
      let answer = try await relay.get("/api/v1/openapi.json")
      let document = try #require(JSON.parse(answer.body))
      try await body(relay, Description(document: document))
    }
  }

  @Test func `the validator finds what is wrong`() {
    let schema = JSONSchema(document: ["components": ["schemas": ["T": ["type": "string"]]]])
    func faults(_ value: JSON, _ rule: JSON) -> Int { schema.faults(of: value, as: rule).count }
    let object: JSON = [
      "type": "object", "properties": ["a": ["$ref": "#/components/schemas/T"]],
      "required": ["a"], "additionalProperties": .bool(false),
    ]
    #expect(faults(["a": "x"], object) == 0)
    #expect(faults(["a": .integer(1)], object) == 1)
    #expect(faults([:], object) == 1)
    #expect(faults(["a": "x", "b": nil], object) == 1)
    #expect(faults([], object) == 1)
    #expect(faults(nil, ["type": ["string", "null"]]) == 0)
    #expect(faults("d", ["enum": ["a", "b"]]) == 1)
    #expect(faults([.integer(-1)], ["items": ["minimum": .integer(0)]]) == 1)
    #expect(faults("x", ["anyOf": [["type": "null"], ["type": "integer"]]]) == 2)
    #expect(faults("x", ["pattern": "x"]) == 1)
    #expect(faults("x", ["$ref": "#/components/schemas/U"]) == 1)
  }

  @Test func `answers are as described`() async throws {
    try await withDescription { relay, description in
      let listener = try StreamClient(to: relay.address, get: "/jazz?session=described")
      _ = try await listener.answer()
      let id = try #require(
        try await JSON.parse(
          relay.get("/api/v1/listeners", fields: [Self.bearer]).body)?["listeners"]?.items.first?[
            "id"]?.integer)
      let live = "/api/v1/stations/jazz"
      let scratch = TemporaryDirectory()
      let shows = scratch.write("a.mp3", NumberedFrames.stream(0..<100)).dropLast(6)
      let asked: [(method: String, template: String, target: String, body: String, status: Int)] = [
        ("GET", "/api/v1/stations", "/api/v1/stations", "", 200),
        ("GET", "/api/v1/stations/{station}", live, "", 200),
        ("GET", "/api/v1/stations/{station}", "/api/v1/stations/empty", "", 200),
        ("GET", "/api/v1/stations/{station}", "/api/v1/stations/none", "", 404),
        ("GET", "/api/v1/stations/{station}/history", live + "/history", "", 200),
        ("GET", "/api/v1/stations/{station}/history", live + "/history?limit=0", "", 400),
        (
          "PUT", "/api/v1/stations/{station}/metadata", live + "/metadata",
          #"{"title":"Now","artist":null,"url":"http://x/y.png"}"#, 200
        ),
        ("PUT", "/api/v1/stations/{station}/metadata", live + "/metadata", "{}", 400),
        ("GET", "/api/v1/stations/{station}/replayed", live + "/replayed", "", 200),
        ("GET", "/api/v1/stations/{station}/replayed", "/api/v1/stations/none/replayed", "", 404),
        ("POST", "/api/v1/stations", "/api/v1/stations", #"{"id":"jazz"}"#, 400),
        (
          "POST", "/api/v1/stations", "/api/v1/stations",
          #"{"id":"new","upstream":["http://127.0.0.1:9/"],"window":60}"#, 201
        ),
        ("PATCH", "/api/v1/stations/{station}", live, #"{"name":"J"}"#, 409),
        (
          "PATCH", "/api/v1/stations/{station}", "/api/v1/stations/new",
          #"{"burst":"4s","mounts":["/j"],"behind":"skip"}"#, 200
        ),
        ("PATCH", "/api/v1/stations/{station}", "/api/v1/stations/new", #"{"burst":"x"}"#, 400),
        ("POST", "/api/v1/stations/{station}/stop", "/api/v1/stations/new/stop", "", 200),
        ("POST", "/api/v1/stations/{station}/start", "/api/v1/stations/new/start", "", 200),
        ("POST", "/api/v1/stations/{station}/restart", "/api/v1/stations/new/restart", "", 200),
        ("GET", "/api/v1/definitions", "/api/v1/definitions", "", 200),
        ("DELETE", "/api/v1/stations/{station}", "/api/v1/stations/new", "", 204),
        ("GET", "/api/v1/listeners", "/api/v1/listeners?station=jazz", "", 200),
        ("GET", "/api/v1/listeners", "/api/v1/listeners?order=lag&limit=1", "", 200),
        ("GET", "/api/v1/listeners", "/api/v1/listeners?limit=0", "", 400),
        ("GET", "/api/v1/library", "/api/v1/library", "", 200),
        ("GET", "/api/v1/library/problems", "/api/v1/library/problems", "", 200),
        ("GET", "/api/v1/tracks", "/api/v1/tracks?q=a", "", 200),
        ("GET", "/api/v1/tracks", "/api/v1/tracks?limit=0", "", 400),
        ("GET", "/api/v1/artists", "/api/v1/artists", "", 200),
        ("GET", "/api/v1/albums", "/api/v1/albums", "", 200),
        ("GET", "/api/v1/folders", "/api/v1/folders", "", 200),
        ("GET", "/api/v1/plays", "/api/v1/plays", "", 200),
        ("GET", "/api/v1/stations/{station}/audience", live + "/audience", "", 200),
        ("GET", "/api/v1/stations/{station}/audience", "/api/v1/stations/none/audience", "", 404),
        ("GET", "/api/v1/listeners/{listener}", "/api/v1/listeners/\(id)", "", 200),
        ("GET", "/api/v1/listeners/{listener}", "/api/v1/listeners/999999", "", 404),
        (
          "POST", "/api/v1/listeners/{listener}/move", "/api/v1/listeners/\(id)/move",
          #"{"station":"rock"}"#, 200
        ),
        (
          "POST", "/api/v1/listeners/{listener}/move", "/api/v1/listeners/\(id)/move",
          #"{"station":"none"}"#, 404
        ),
        (
          "POST", "/api/v1/listeners/{listener}/seek", "/api/v1/listeners/\(id)/seek",
          #"{"seconds":"1s"}"#, 200
        ),
        ("POST", "/api/v1/listeners/{listener}/seek", "/api/v1/listeners/\(id)/seek", "{}", 400),
        ("POST", "/api/v1/listeners/{listener}/pause", "/api/v1/listeners/\(id)/pause", "", 200),
        ("POST", "/api/v1/listeners/{listener}/resume", "/api/v1/listeners/\(id)/resume", "", 200),
        ("GET", "/api/v1/sessions/{token}", "/api/v1/sessions/described", "", 200),
        (
          "POST", "/api/v1/sessions/{token}", "/api/v1/sessions/described",
          #"{"action":"rewind","seconds":1}"#, 200
        ),
        ("POST", "/api/v1/sessions/{token}", "/api/v1/sessions/described", "{}", 400),
        ("GET", "/api/v1/sessions/{token}", "/api/v1/sessions/unheard-of", "", 404),
        ("DELETE", "/api/v1/listeners/{listener}", "/api/v1/listeners/\(id)", "", 204),
        ("GET", "/api/v1/webhooks", "/api/v1/webhooks", "", 200),
        ("GET", "/api/v1/bans", "/api/v1/bans", "", 200),
        (
          "POST", "/api/v1/bans", "/api/v1/bans",
          #"{"address":"203.0.113.0/24","seconds":"1h","reason":"x","until":null}"#, 201
        ),
        ("GET", "/api/v1/bans", "/api/v1/bans", "", 200),
        ("POST", "/api/v1/bans", "/api/v1/bans", #"{"address":"nowhere"}"#, 400),
        ("POST", "/api/v1/bans", "/api/v1/bans", #"{"listener":999999}"#, 404),
        ("DELETE", "/api/v1/bans/{ban}", "/api/v1/bans/1", "", 204),
        ("DELETE", "/api/v1/bans/{ban}", "/api/v1/bans/1", "", 404),
        ("POST", "/api/v1/recordings", "/api/v1/recordings", #"{"station":"none"}"#, 404),
        (
          "POST", "/api/v1/recordings", "/api/v1/recordings", #"{"station":"jazz","overlap":2}"#,
          400
        ),
        (
          "POST", "/api/v1/recordings", "/api/v1/recordings",
          #"{"station":"jazz","from":"-5s","split":true,"seconds":"1h","maxSize":"500MB"}"#, 201
        ),
        (
          "POST", "/api/v1/recordings", "/api/v1/recordings", #"{"station":"jazz","maxSize":1}"#,
          400
        ),
        ("GET", "/api/v1/recordings", "/api/v1/recordings", "", 200),
        ("GET", "/api/v1/schedule", "/api/v1/schedule?days=31", "", 200),
        ("GET", "/api/v1/schedule", "/api/v1/schedule?station=jazz", "", 200),
        ("GET", "/api/v1/schedule", "/api/v1/schedule?station=none", "", 404),
        ("GET", "/api/v1/schedule", "/api/v1/schedule?days=32", "", 400),
        ("GET", "/api/v1/schedule", "/api/v1/schedule?from=1970-01-01T00:00:00Z", "", 400),
        (
          "GET", "/api/v1/recordings/{recording}/file", "/api/v1/recordings/1/file?part=x", "", 400
        ),
        (
          "GET", "/api/v1/recordings/{recording}/file", "/api/v1/recordings/1/file?part=999", "",
          404
        ),
        ("DELETE", "/api/v1/recordings/{recording}", "/api/v1/recordings/1", "", 204),
        ("GET", "/api/v1/recordings", "/api/v1/recordings", "", 200),
        ("DELETE", "/api/v1/recordings/{recording}", "/api/v1/recordings/1", "", 204),
        ("DELETE", "/api/v1/recordings/{recording}", "/api/v1/recordings/1", "", 404),
        ("GET", "/api/v1/stats", "/api/v1/stats", "", 200),
        ("GET", "/api/v1/figures", "/api/v1/figures?step=60", "", 200),
        ("GET", "/api/v1/figures", "/api/v1/figures?step=7", "", 400),
        ("GET", "/api/v1/stations/{station}/figures", live + "/figures", "", 200),
        ("GET", "/api/v1/stations/{station}/figures", "/api/v1/stations/none/figures", "", 404),
        ("GET", "/api/v1/openapi.json", "/api/v1/openapi.json", "", 200),
        ("POST", "/api/v1/config/reload", "/api/v1/config/reload", "", 409),
        ("GET", "/api/v1/config/changes", "/api/v1/config/changes", "", 409),
        ("GET", "/api/v1/me", "/api/v1/me", "", 200),
        ("GET", "/api/v1/dashboard", "/api/v1/dashboard", "", 200),
        ("POST", "/api/v1/dashboard", "/api/v1/dashboard", "", 200),
        ("POST", "/api/v1/dashboard/token", "/api/v1/dashboard/token", #"{"code":"1"}"#, 403),
        ("POST", "/api/v1/dashboard/token", "/api/v1/dashboard/token", "{}", 400),
        ("POST", "/api/v1/stations/{station}/pass", live + "/pass", "{}", 400),
        (
          "POST", "/api/v1/stations/{station}/pass", live + "/pass",
          #"{"user":"anna","password":"secret"}"#, 409
        ),
        (
          "POST", "/api/v1/stations/check", "/api/v1/stations/check",
          #"{"upstream":["http://127.0.0.1:9/"]}"#, 200
        ),
        ("POST", "/api/v1/stations/check", "/api/v1/stations/check", "{}", 400),
        ("GET", "/status-json.xsl", "/status-json.xsl", "", 200),
        ("GET", "/status-json.xsl", "/status-json.xsl?mount=/none", "", 404),
        ("GET", "/status.xsl", "/status.xsl", "", 200),
        ("GET", "/7.xsl", "/7.xsl?mount=/none", "", 404),
        ("GET", "/stats", "/stats?sid=1&json=1", "", 200),
        ("GET", "/stats", "/stats?sid=9&json=1", "", 400),
        ("GET", "/statistics", "/statistics?json=1", "", 200),
        ("GET", "/played", "/played?type=json", "", 200),
        ("GET", "/events", "/events?kinds=statte", "", 400),
        ("GET", "/api/v1/events", "/api/v1/events?session=nobody-s-token", "", 404),
        ("GET", "/{station}", "/empty?offset=x", "", 400),
        ("GET", "/{station}", "/nothing", "", 404),
        ("GET", "/{station}/clip", "/jazz/clip", "", 400),
        ("GET", "/{station}/pcm", "/jazz/pcm?rate=1", "", 400),
        ("GET", "/{station}/pcm", "/nosuch/pcm", "", 404),
        ("GET", "/{station}/pcm.wav", "/jazz/pcm.wav?channels=0", "", 400),
        (
          "GET", "/{station}/clip", "/jazz/clip?from=2001-01-01T00:00:00Z&to=2002-01-01T00:00:00Z",
          "", 404
        ),
        ("GET", "/{station}/clip", "/jazz/clip?from=-5s", "", 200),
        ("GET", "/{station}/clip", "/jazz/clip?from=-5s&reverse=1", "", 200),
        ("GET", "/{station}/clip", "/jazz/clip?from=-5s&reverse=2", "", 400),
        ("PUT", "/{station}", "/jazz", "", 403),
        (
          "POST", "/api/v1/stations", "/api/v1/stations",
          #"{"id":"shows","files":"\#(shows)","throttleBypass":"1m"}"#, 201
        ),
        (
          "POST", "/api/v1/stations", "/api/v1/stations",
          #"{"id":"both","files":"/x","upstream":["http://a/"]}"#, 400
        ),
        (
          "GET", "/api/v1/stations/{station}/files", "/api/v1/stations/shows/files", "", 200
        ),
        ("GET", "/api/v1/stations/{station}/files", "/api/v1/stations/jazz/files", "", 404),
        ("GET", "/{station}/{file}", "/shows/a.mp3", "", 200),
        ("GET", "/{station}/{file}", "/shows/a.mp3?at=x", "", 400),
        ("GET", "/{station}/{file}", "/shows/a.mp3?reverse=1", "", 200),
        ("GET", "/{station}/{file}", "/shows/a.mp3?reverse=x", "", 400),
        ("GET", "/{station}/{file}", "/shows/b.mp3", "", 404),
        ("GET", "/{station}", "/shows", "", 404),
        ("GET", "/api/v1/stations/{station}", "/api/v1/stations/shows", "", 200),
        ("DELETE", "/api/v1/stations/{station}", "/api/v1/stations/shows", "", 204),
      ]
      for (method, template, target, body, status) in asked {
        let answer = try await HTTPExchange(
          method, target, at: relay.address, fields: [Self.bearer], body: body)
        #expect(answer.status == status, "\(method) \(target): \(answer.text)")
        #expect(description.faults(of: answer, method, template) == [], "\(method) \(target)")
        if status < 400, !body.isEmpty {
          #expect(description.faults(ofBody: body, method, template) == [], "\(method) \(target)")
        }
      }
      withExtendedLifetime((listener, scratch)) {}
    }
  }

  @Test func `parts, what a client has already, and pages of nothing are as described`()
    async throws
  {
    try await withDescription { relay, description in
      let scratch = TemporaryDirectory()
      let shows = scratch.write("a.mp3", NumberedFrames.stream(0..<100)).dropLast(6)
      let added = try await HTTPExchange(
        "POST", "/api/v1/stations", at: relay.address, fields: [Self.bearer],
        body: #"{"id":"shows","files":"\#(shows)"}"#)
      #expect(added.status == 201)
      func tag(_ target: String) async throws -> String {
        let answer = try await relay.get(target)
        return "If-None-Match: " + (answer.head["etag"] ?? "none")
      }
      let (part, parts) = ("Range: bytes=0-9", "Range: bytes=0-9,20-29")
      let asked: [(template: String, target: String, field: String, status: Int)] = [
        ("/{station}/{file}", "/shows/a.mp3", part, 206),
        ("/{station}/{file}", "/shows/a.mp3", parts, 206),
        ("/{station}/{file}", "/shows/a.mp3", "Range: bytes=9999999-", 416),
        ("/{station}/{file}", "/shows/a.mp3", try await tag("/shows/a.mp3"), 304),
        ("/{station}/clip", "/jazz/clip?from=-3s", part, 206),
        ("/{station}/clip", "/jazz/clip?from=-3s", parts, 206),
        ("/{station}.m3u", "/jazz.m3u?ofset=3", "", 400),
        ("/{station}.pls", "/jazz.pls?ofset=3", "", 400),
        ("/{station}.xspf", "/jazz.xspf?ofset=3", "", 400),
        ("/{station}.asx", "/jazz.asx?ofset=3", "", 400),
        ("/{station}.m3u", "/jazz.m3u", try await tag("/jazz.m3u"), 304),
        ("/listen/{station}", "/listen/nope", "", 404),
        ("/listen/{station}/embed", "/listen/nope/embed", "", 404),
        ("/listen/{station}/{bitrate}", "/listen/nope/64", "", 404),
        (
          "/listen/{station}/manifest.webmanifest", "/listen/jazz/manifest.webmanifest",
          try await tag("/listen/jazz/manifest.webmanifest"), 304
        ),
        (
          "/manifest.webmanifest", "/manifest.webmanifest", try await tag("/manifest.webmanifest"),
          304
        ),
        ("/status.xsl", "/status.xsl", "If-None-Match: *", 304),
      ]
      for (template, target, field, status) in asked {
        let answer = try await relay.get(target, fields: field.isEmpty ? [] : [field])
        #expect(answer.status == status, "\(target) \(field): \(answer.text.prefix(200))")
        #expect(description.faults(of: answer, "GET", template) == [], "\(target) \(field)")
      }
      withExtendedLifetime(scratch) {}
    }
  }

  @Test func `events are as described`() async throws {
    try await withDescription { relay, description in
      let events = try EventClient(at: relay.address, "", after: 0)
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      _ = try await listener.answer()
      try await events.first("a listener") { $0.kind == "listener-connected" }
      let rule: JSON = ["$ref": "#/components/schemas/Event"]
      for event in events.events {
        #expect(JSONSchema(document: description.document).faults(of: event.json, as: rule) == [])
      }
      #expect(Set(events.events.map(\.kind)).isSuperset(of: ["state", "playing", "metadata-live"]))
      withExtendedLifetime(listener) {}
    }
  }

  @Test func `figures are told each second while somebody asks for them, as described`()
    async throws
  {
    try await withDescription { relay, description in
      let all = try relay.events()
      let figures = try relay.events("?kinds=figures&station=jazz")
      let listener = try StreamClient(to: relay.address, get: "/jazz")
      let told = try await figures.first("a rate") {
        listener.drain()
        return $0.json["listeners"]?.integer == 1 && ($0.json["kbitOut"]?.double ?? 0) > 0
      }
      #expect(told.kind == "figures" && told.json["station"]?.string == "jazz")
      #expect(told.json["kbitIn"]?.double != nil && told.json["lagMax"]?.double != nil)
      let rule: JSON = ["$ref": "#/components/schemas/Event"]
      #expect(JSONSchema(document: description.document).faults(of: told.json, as: rule) == [])
      #expect(all.events.allSatisfy { $0.kind != "figures" })
      withExtendedLifetime(listener) {}
    }
  }

  @Test func `every described path is there, and refuses other methods`() async throws {
    try await withDescription { relay, description in
      for path in description.paths {
        let target = path.replacing("{station}", with: "jazz").replacing("{listener}", with: "1")
          .replacing("{ban}", with: "1").replacing("{recording}", with: "1").replacing(
            "{token}", with: "unheard-of"
          ).replacing("assets/{file}", with: "assets/sw.js").replacing("{file}", with: "dom.js")
          .replacing("{version}", with: "1")
          .replacing("{folder}/{inner}/{module}", with: "i18n/admin/en.js")
          .replacing("{folder}/{module}", with: "i18n/en.js")
          .replacing("{bitrate}", with: "64").replacing("{collection}", with: "hot")
          .replacing("{member}", with: "1")
          .replacing("{track}", with: "0123456789abcdef0123456789abcdef")
        let described = description.methods(at: path)
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE"] {
          // What has no end, what a source would push, and files, which jazz has none of, are tried elsewhere.
          let endless = ["/events", "/api/v1/events", "/{station}", "/{station}/{file}"]
          if endless.contains(path) { continue }
          let answer = try await HTTPExchange(
            method, target, at: relay.address, fields: [Self.bearer])
          if described.contains(method.lowercased()) {
            let isThere =
              answer.status != 405 && answer.status != 501
              && !(answer.status == 404 && answer.text.contains("\"not-found\""))
            #expect(isThere, "\(method) \(target): \(answer.status)")
            #expect(
              description.faults(of: answer, method, path) == [], "\(method) \(target)")
          } else {
            // A PUT anywhere else is a source's, which names a station that is none.
            // This one may be a station's id too.
            let mayBeStation = path == "/api/v1/stations/check"
            let refusals = method == "PUT" || mayBeStation ? [400, 403, 404, 405] : [405]
            #expect(refusals.contains(answer.status), "\(method) \(target): \(answer.status)")
          }
        }
      }
    }
  }
}

/// The description, and what it says of an operation.
struct Description {
  let document: JSON

  var paths: [String] { document["paths"]?.keys.sorted() ?? [] }

  func methods(at path: String) -> Set<String> { document["paths"]?[path]?.keys ?? [] }

  private func operation(_ method: String, _ path: String) -> JSON? {
    document["paths"]?[path]?[method.lowercased()]
  }

  /// What of an answer is not as the description says.
  func faults(of answer: HTTPExchange, _ method: String, _ path: String) -> [String] {
    let schema = JSONSchema(document: document)
    guard let operation = operation(method, path) else { return ["\(method) \(path) is unknown"] }
    guard var response = operation["responses"]?["\(answer.status)"] else {
      return ["the status \(answer.status) is not described: \(answer.text)"]
    }
    if let reference = response["$ref"]?.string { response = schema.resolve(reference) ?? .null }
    guard let content = response["content"] else {
      return answer.body.isEmpty ? [] : ["there should be no body"]
    }
    let given = answer.head["content-type"] ?? ""
    let type = String(given.prefix { $0 != ";" })
    guard let rule = content[type]?["schema"] else { return ["\(given) is not described"] }
    guard type == "application/json" else { return [] }
    guard let value = JSON.parse(answer.body) else { return ["it is no JSON"] }
    return schema.faults(of: value, as: rule)
  }

  func faults(ofBody body: String, _ method: String, _ path: String) -> [String] {
    guard
      let rule = operation(method, path)?["requestBody"]?["content"]?["application/json"]?["schema"]
    else { return ["no body is described"] }
    guard let value = JSON.parse(Array(body.utf8)) else { return ["it is no JSON"] }
    return JSONSchema(document: document).faults(of: value, as: rule)
  }
}
