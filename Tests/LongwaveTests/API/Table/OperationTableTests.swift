import Logging
import Reactor
import Server
import Testing
import Wire

@testable import Longwave
@testable import LongwaveAPI

@Suite struct OperationTableTests {
  private static let answered = Operation.all.filter { $0.answering != nil }
  private static let stranger = Peer.tcp(.ipv4(0x0102_0304, port: 5))
  private static let administrator = [(name: "Authorization", value: "Bearer right-token")]

  private static let values = [
    "station": "jazz", "listener": "7", "ban": "3", "recording": "4", "token": "known-token",
    "version": "1", "file": "sw.js", "folder": "i18n", "module": "en.js", "inner": "admin",
    "bitrate": "64", "collection": "hot", "member": "5",
    "track": "0123456789abcdef0123456789abcdef",
  ]
  private static let bodies = [
    "StationDefinition": #"{"id":"rock","upstream":["http://x/"]}"#,
    "StationPatch": #"{"name":"J"}"#, "Title": #"{"title":"x"}"#, "Move": #"{"station":"jazz"}"#,
    "Seek": #"{"seconds":60}"#, "Steering": #"{"action":"pause"}"#,
    "NewBan": #"{"address":"192.0.2.1"}"#, "NewRecording": #"{"station":"jazz"}"#, "Form": form,
    "UpstreamCheck": #"{"upstream":"http://x/"}"#, "DashboardCodeUse": #"{"code":"{code}"}"#,
    "NewCollection": #"{"collection":"new"}"#, "CollectionPatch": #"{"name":"Hot"}"#,
    "NewMembers": #"{"collections":["hot"]}"#, "MemberPlace": #"{"before":null}"#,
    "List": "#EXTM3U\n", "ProgrammeAction": #"{"action":"next"}"#,
    "ProgrammePatch": #"{"order":"shuffle"}"#, "Scan": "{}", "TrackChange": #"{"excluded":true}"#,
    "ListenerCredentials": #"{"user":"anna","password":"secret"}"#,
  ]
  private static let form = "mount=/jazz&destination=/jazz&fallback=/jazz&id=7&song=x"

  private static func path(
    of operation: Operation, _ values: [String: String] = values
  ) -> String {
    values.reduce(operation.path.text) { $0.replacing("{\($1.key)}", with: $1.value) }
  }

  /// Asks as the row says; with further fields.
  private func ask(
    _ operation: Operation, path: String? = nil, body: String? = nil, from origin: Peer,
    _ fields: [(name: String, value: String)] = [], type: String? = nil
  ) async throws -> (status: Int, code: JSON?, fields: [HTTPFields.Field]) {
    let rights = AdminRights.forTests(token: "right-token")
    let body = (body ?? operation.body.flatMap { Self.bodies[$0] } ?? "")
      .replacing("{code}", with: rights.codes.make(for: "right-token"))
    let mediaType = operation.body == "Form" ? "application/x-www-form-urlencoded" : nil
    let values = Self.values.merging(["track": await FakeLibrary.shared.track]) { $1 }
    var target = path ?? Self.path(of: operation, values)
    if operation.terms.takesForm, operation.body == nil { target += "?" + Self.form }
    var head = "\(operation.method) \(target) HTTP/1.1\r\nHost: x\r\n"
    if !body.isEmpty { head += "Content-Type: \(type ?? mediaType ?? "application/json")\r\n" }
    for field in fields { head += "\(field.name): \(field.value)\r\n" }
    let bytes = Array((head + "\r\n").utf8)
    let request = try #require(try HTTPRequestParser.parse(bytes.span))
    let router = APIRouter(
      relay: FakeRelay(), rights: rights, limits: GuessLimits(logger: Logger(label: "test")))
    let response = await router.respond(
      to: APIRequest(head: request.head, body: Array(body.utf8), origin: origin))
    guard case .whole(let status, _, let answer, let sent) = response.whole else {
      return (200, nil, [])
    }
    return (status, JSON.parse(answer)?["error"]?["code"], sent)
  }

  @Test func `every operation is found where its path leads`() throws {
    for operation in Self.answered {
      let path = Self.path(of: operation)
      let found = try Operation.table.find(method: operation.method, path: path)
      #expect(found.operation.name == operation.name, "\(path)")
    }
  }

  @Test func `every operation answers an administrator with the status it says`() async throws {
    for operation in Self.answered {
      let answer = try await ask(operation, from: .unixSocket)
      #expect(answer.status == operation.answer.status, "\(operation.name)")
    }
  }

  @Test func `every operation answers strangers, or asks them for a password`() async throws {
    for operation in Self.answered {
      let answer = try await ask(operation, from: Self.stranger)
      let wanted = operation.terms.audience.needsPassword ? 401 : operation.answer.status
      #expect(answer.status == wanted, "\(operation.name)")
    }
  }

  @Test func `every operation with an effect refuses pages of other sites`() async throws {
    let foreign = Self.administrator + [(name: "Origin", value: "http://evil.test")]
    for operation in Self.answered where operation.terms.hasEffect {
      let answer = try await ask(operation, from: Self.stranger, foreign)
      if operation.terms.audience == .tokenHolders {
        #expect(answer.status == operation.answer.status, "\(operation.name)")
      } else {
        #expect(answer.status == 403 && answer.code == "foreign-page", "\(operation.name)")
      }
    }
  }

  @Test func `every operation with an effect takes its body as JSON, or as a form`() async throws {
    for operation in Self.answered where operation.terms.hasEffect {
      let answer = try await ask(
        operation, body: operation.body == nil ? "x" : nil, from: Self.stranger,
        Self.administrator, type: "text/plain")
      let isFree = operation.terms.takesForm || operation.terms.audience == .tokenHolders
      #expect(isFree || answer.code == "content-type", "\(operation.name)")
    }
  }

  @Test func `session tokens steer a session alone, and only monitors take forms`() {
    let steering = Operation.all.filter {
      $0.terms.hasEffect && $0.terms.audience == .tokenHolders
    }
    #expect(steering.map(\.name) == ["steerSession"])
    for operation in Operation.all where operation.path.text.hasPrefix("/api/") {
      #expect(!operation.terms.takesForm, "\(operation.name)")
      #expect(operation.terms.hasEffect == (operation.method != "GET"), "\(operation.name)")
    }
  }

  @Test func `answers to strangers may be cached, and answers to administrators may not`()
    async throws
  {
    // Files of recordings are sent by those who send streams, who say it themselves.
    for operation in Self.answered where operation.name != "getShowFile" {
      let told = try await ask(operation, from: Self.stranger)
      let isKept = told.fields.contains { $0.name == "Cache-Control" }
      let terms = operation.terms
      let isForAll =
        !terms.audience.needsPassword && !terms.isGuarded && !operation.name.hasPrefix("watch")
      #expect(isKept == isForAll, "\(operation.name)")
      let own = try await ask(operation, from: .unixSocket)
      // Files of the program are the same for everybody.
      let isOfProgram = operation.path.text.hasPrefix("/assets/") || operation.name == "getIcon"
      #expect(
        own.fields.contains { $0.name == "Cache-Control" } == isOfProgram, "\(operation.name)")
    }
  }

  @Test func `a part of a path that cannot be one is another path`() async throws {
    let wrong = ["listener": "x", "ban": "1.5", "recording": "-", "token": "short"]
    for operation in Self.answered where operation.path.names.contains(where: { wrong[$0] != nil })
    {
      let path = Self.path(of: operation, wrong)
      let answer = try await ask(operation, path: path, from: .unixSocket)
      #expect(answer.status == 404 && answer.code == "not-found", "\(operation.name)")
    }
  }

  @Test func `an unknown name in a path is a 404 that its operation names`() async throws {
    let unknown = [
      "station": "rock", "listener": "8", "ban": "8", "recording": "8", "token": "another-token",
      "collection": "cold", "member": "8",
    ]
    for operation in Self.answered where !operation.path.names.isEmpty {
      let path = Self.path(of: operation, unknown)
      let answer = try await ask(operation, path: path, from: .unixSocket)
      #expect(answer.status == 404, "\(operation.name)")
      let named = operation.errors + operation.otherwise.map(\.status)
      #expect(named.contains(404), "\(operation.name)")
    }
  }

  @Test func `a HEAD request changes nothing`() throws {
    for operation in Self.answered where operation.method == "GET" {
      let path = Self.path(of: operation)
      let isTaken = (try? Operation.table.find(method: "HEAD", path: path)) != nil
      #expect(isTaken != operation.terms.hasEffect, "\(path)")
    }
    #expect(throws: APIError.self) {
      try Operation.table.find(method: "HEAD", path: "/admin/killsource")
    }
  }

  @Test(arguments: [
    ("POST", "/api/v1/stations", 64 << 10), ("PATCH", "/api/v1/stations/jazz", 64 << 10),
    ("PUT", "/api/v1/stations/jazz/metadata", 64 << 10),
    ("POST", "/api/v1/sessions/a-token-of-mine", 1024),
    ("POST", "/admin/metadata", 16 << 10), ("POST", "/admin.cgi", 16 << 10),
    ("POST", "/stats", 16 << 10), ("GET", "/api/v1/stations", 1024), ("POST", "/nothing", 1024),
    ("DELETE", "/api/v1/stations/jazz", 1024), ("POST", "/api/v1/config/reload", 1024),
    ("POST", "/jazz", 1024),
    ("POST", "/api/v1/stations" + String(repeating: "/x", count: 4000), 1024),
  ])
  func `a request's body may be as long as its operation says`(
    method: String, path: String, bytes: Int
  ) {
    #expect(Operation.table.bodyBytesMax(method: method, path: path) == bytes)
  }
}
