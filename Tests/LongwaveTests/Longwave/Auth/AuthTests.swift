import Foundation
import Logging
import Reactor
import Server
import Synchronization
import TestSupport
import Testing
import Wire

@testable import Longwave

@Suite struct PasswordTests {
  static let bcrypt = "$2y$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"
  static let sha512 =
    "$6$saltsalt$rVIyJtXnL0mXUCLepstXWqeOv9JVyd7nOH8wn0BvOU5lCiAviUJLxXZ5CkPgq6XNTHV22yG4mV0IO9gqPL5WQ."

  /// The third is of crypt_blowfish's own tests; the SHA ones are OpenSSL's work.
  @Test(arguments: [
    (bcrypt, "secret"), ("$2b$10$abcdefghijklmnopqrstuu3qWavo/JrKRRVDF/68ERj4rQOXSVCG2", "geheim"),
    ("$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW", "U*U"),
    ("$5$saltsalt$0IyaXrmV7.sGNS6tirgqHLqX/G.FBvgkYA.lpPdS5sA", "secret"), (sha512, "pässword"),
  ])
  func `a password is held against what a file keeps of it`(text: String, password: String) throws {
    let hash = try #require(PasswordHash(text))
    #expect(hash.matches(Array(password.utf8)))
    for wrong in ["", password + "x", password.uppercased(), password + "\0", "\0"]
    where wrong != password {
      #expect(!hash.matches(Array(wrong.utf8)), "\(wrong)")
    }
    #expect(!hash.matches([UInt8](repeating: 97, count: 100_000)))
  }

  @Test(arguments: [
    "", "secret", "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "$apr1$x$y", "$1$a$b", "rl0uE0u7Q",
    "$2y$05$a b", "$2y$",
  ])
  func `a hash of another kind matches no password`(text: String) {
    #expect(PasswordHash(text).map { $0.matches(Array("secret".utf8)) } != true)
  }

  @Test func `a password file is users, and its mistakes are told by line`() {
    let text = "# ours\n\nanna:\(Self.bcrypt)\r\nbert:{SHA}abc\n:x\nnonsense\nü:\(Self.sha512)"
    let (users, mistakes) = PasswordFile.parse(Data(text.utf8))
    #expect(Set(users.keys) == ["anna", "ü"] && users["anna"]?.text == Self.bcrypt)
    #expect(
      mistakes == [
        "4: \"bert\" has a kind of hash that is not supported; make it with htpasswd -B",
        "5: is not USER:HASH; write it with htpasswd -B",
        "6: is not USER:HASH; write it with htpasswd -B",
      ])
  }

  @Test func `password checks of a /48 are bounded, yet let a crowd in`() async throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/users"
    // A hundred times as much work as the least there is.
    let hash = "$2b$10$abcdefghijklmnopqrstuu3qWavo/JrKRRVDF/68ERj4rQOXSVCG2"
    try "anna:\(hash)\n".write(toFile: path, atomically: true, encoding: .utf8)
    let file = PasswordFile(path: path, logger: Logger(label: "test"))
    file.read()
    let checker = PasswordChecker()
    func answers(of count: Int, site: Int) async -> [PasswordChecker.Answer] {
      await withTaskGroup(of: PasswordChecker.Answer.self) { group in
        for number in 0..<count {
          group.addTask {
            let text = "[2001:db8:\(site):\(String(number, radix: 16))::1]:1"
            let address = SocketAddress(text).flatMap { AddressBlock(.tcp($0)) }
            return await checker.check(
              "anna", Array("guess \(number)".utf8), in: file, for: address)
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }
    #expect(await answers(of: 16, site: 1) == Array(repeating: .wrong, count: 16))
    let many = await answers(of: 400, site: 2)
    #expect(many.contains(.busy) && many.contains(.wrong))
  }

  @Test(arguments: [
    ("me:$2y$05$hunter2", "•••: no such file; write where it is; no user of this file may listen"),
    ("/a/b.users", "/a/b.users: no such file; write where it is; no user of this file may listen"),
  ])
  func `a text in place of the path of an htpasswd file is not logged`(path: String, line: String) {
    let said = SaidLines()
    PasswordFile(path: path, logger: said.logger).read()
    #expect(said.all == [line])
  }

  @Test func `a right password is not looked at again until its file changes`() async throws {
    let folder = TemporaryDirectory()
    let path = folder.path + "/users"
    try "anna:\(Self.bcrypt)\n".write(toFile: path, atomically: true, encoding: .utf8)
    let file = PasswordFile(path: path, logger: Logger(label: "test"))
    let checker = PasswordChecker()
    file.read()
    let secret = Array("secret".utf8)
    for _ in 0..<3 { #expect(await checker.check("anna", secret, in: file) == .right) }
    #expect(await checker.check("anna", Array("Secret".utf8), in: file) == .wrong)
    #expect(await checker.check("bert", secret, in: file) == .wrong)
    try "anna:\(Self.sha512)\n".write(toFile: path, atomically: true, encoding: .utf8)
    file.read()
    #expect(await checker.check("anna", secret, in: file) == .wrong)
    try FileManager.default.removeItem(atPath: path)
    file.read()
    #expect(await checker.check("anna", Array("pässword".utf8), in: file) == .right)
  }
}

@Suite struct ListenerHookTests {
  private static func request(_ fields: [(name: String, value: String)]) -> ListenerRequest {
    ListenerRequest(
      head: HTTPRequestHead(
        method: "GET", target: "/jazz?offset=5m&x=1", path: "/jazz",
        fields: HTTPFields(fields), host: "radio.example:8000"),
      origin: .tcp(SocketAddress("203.0.113.7:4711")!), id: 17)
  }

  @Test func `a question to a listener hook is Icecast's form`() {
    let request = Self.request([
      (name: "Authorization", value: "Basic YW5uYTpmb286YiZy"),
      (name: "User-Agent", value: "VLC 3 & more"),
    ])
    #expect(
      ListenerHook.form("listener_add", request)
        == "action=listener_add&server=radio.example&port=8000&client=17"
        + "&mount=%2Fjazz%3Foffset%3D5m%26x%3D1&user=anna&pass=foo%3Ab%26r&ip=203.0.113.7"
        + "&agent=VLC%203%20%26%20more&referer=")
  }

  @Test(arguments: [
    (200, [("icecast-auth-user", "1")], "yes"), (204, [("Icecast-Auth-User", "1")], "yes"),
    (200, [("icecast-auth-user", "withintro")], "yes"), (200, [("icecast-auth-user", "0")], "no"),
    (200, [], "no"), (500, [("icecast-auth-user", "1")], "no"),
    (200, [("icecast-auth-user", "1"), ("icecast-auth-timelimit", "90")], "yes 90.0"),
    (200, [("icecast-auth-user", "1"), ("icecast-auth-timelimit", "soon")], "yes"),
    (200, [("icecast-auth-user", "1"), ("icecast-auth-timelimit", "inf")], "yes"),
    (200, [("icecast-auth-user", "1"), ("icecast-auth-timelimit", "9223372036")], "yes"),
    (200, [("icecast-auth-user", "1"), ("icecast-auth-timelimit", "315576001")], "yes"),
    (200, [("icecast-auth-user", "1"), ("icecast-auth-timelimit", "1e300")], "yes"),
    (200, [("icecast-auth-user", "1"), ("icecast-auth-timelimit", "nan")], "yes"),
    (200, [("icecast-auth-user", "1"), ("icecast-auth-timelimit", "-9e99")], "yes"),
    (403, [("icecast-auth-message", "not\u{85} today")], "no not\\xc2\\x85 today"),
  ])
  func `a listener hook's answer is what its header says`(
    status: Int, fields: [(String, String)], meaning: String
  ) {
    let headers = HTTPFields(fields.map { (name: $0.0, value: $0.1) })
    let found =
      switch ListenerHook.answer(status: status, field: { headers[$0] }) {
      case .yes(let seconds): "yes" + (seconds.map { " \($0)" } ?? "")
      case .no(let reason): "no" + (reason.map { " \($0)" } ?? "")
      case .unreachable, .busy: "?"
      }
    #expect(found == meaning)
  }
}
