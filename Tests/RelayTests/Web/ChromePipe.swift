import Glibc
import Longwave
import TestSupport

/// Debian's Chromium without a screen, driven by the Chrome DevTools protocol on its descriptors 3 and 4.
///
/// Messages are JSON with a NUL behind. Its data folder and all of its processes go with the last reference.
final class ChromePipe {
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  static var isInstalled: Bool { Binary.find("chromium") != nil }

  private let process: ChildProcess
  private let folder: TemporaryDirectory
  private let socket: Int32
  private var received: [UInt8] = []
  /// How much of `received` is known to hold no NUL.
  private var scanned = 0
  private var lastID = 0
  private var answers: [Int: JSON] = [:]
  private var pages: [String: WebPage] = [:]

  private static let options = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--no-zygote", "--disable-breakpad", "--disable-component-update", "--disable-sync",
    "--disable-background-networking", "--disable-default-apps", "--disable-extensions",
    "--password-store=basic", "--remote-debugging-pipe", "--window-size=1280,800",
  ]

  init() throws {
    folder = TemporaryDirectory()
    var pair: [Int32] = [-1, -1]
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &pair) == 0 else {
      throw Failure(description: "socketpair: errno \(errno)")
    }
    socket = pair[0]
    // High numbers, which no other that is passed on can have.
    let theirs = fcntl(pair[1], F_DUPFD_CLOEXEC, 10)
    close(pair[1])
    defer { close(theirs) }
    process = try ChildProcess(
      ["chromium"] + Self.options + ["--user-data-dir=\(folder.path)", "about:blank"],
      environment: ["PATH=/usr/bin:/bin", "HOME=\(folder.path)", "LC_ALL=C.UTF-8", "TZ=UTC"],
      passing: [3: theirs, 4: theirs], leadsGroup: true)
  }

  deinit { close(socket) }

  /// Runs a browser for as long as `body` takes.
  static func with(_ body: (ChromePipe) async throws -> Void) async throws {
    let chrome = try ChromePipe()
    do {
      try await body(chrome)
    } catch {
      try? await chrome.end()
      throw error
    }
    try await chrome.end()
  }

  /// Ends it in good order, so that it writes no more into its folder when that is removed.
  private func end() async throws {
    _ = try? await call("Browser.close", within: 10)
    _ = try? await process.end(within: 10)
  }

  /// Opens a tab that shows nothing yet.
  func page(in context: String? = nil) async throws -> WebPage {
    var parameters = [JSON.Member(key: "url", value: "about:blank")]
    if let context { parameters.append(.init(key: "browserContextId", value: .string(context))) }
    let target = try await call("Target.createTarget", .object(parameters))
    return try await attach(to: try target.text("targetId"))
  }

  private func attach(to target: String) async throws -> WebPage {
    let answer = try await call(
      "Target.attachToTarget", ["targetId": .string(target), "flatten": .bool(true)])
    let page = WebPage(self, target: target, session: try answer.text("sessionId"))
    pages[page.session] = page
    try await page.begin()
    return page
  }

  /// Calls a method and returns its result.
  @discardableResult
  func call(
    _ method: String, _ parameters: JSON = .object([]), session: String? = nil,
    within seconds: Double = 60
  ) async throws -> JSON {
    lastID += 1
    let id = lastID
    var message = [
      JSON.Member(key: "id", value: JSON(id)), .init(key: "method", value: .string(method)),
      .init(key: "params", value: parameters),
    ]
    if let session { message.append(.init(key: "sessionId", value: .string(session))) }
    try await send(JSON.object(message).bytes + [0])
    let answer = try await eventually("the browser's answer to \(method)", within: seconds) {
      try drain()
      return answers.removeValue(forKey: id)
    }
    if let error = answer["error"] { throw Failure(description: "\(method): \(error.text)") }
    return answer["result"] ?? .null
  }

  private func send(_ bytes: [UInt8]) async throws {
    var sent = 0
    try await eventually("a browser that reads") {
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(
            socket, $0.baseAddress! + sent, $0.count - sent,
            Int32(MSG_NOSIGNAL)
              | Int32(MSG_DONTWAIT))
        }
        if count < 0 {
          guard errno == EAGAIN || errno == EINTR else { throw ended() }
          try drain()
          return false
        }
        sent += count
      }
      return true
    }
  }

  /// Takes in what the browser has said, without waiting.
  func drain() throws {
    var piece = [UInt8](repeating: 0, count: 256 * 1024)
    while true {
      let count = recv(socket, &piece, piece.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EINTR { continue }
      if count == 0 { throw ended() }
      guard count > 0 else { return }
      received += piece[..<count]
      takeMessages()
    }
  }

  private func takeMessages() {
    var start = 0
    while let end = received[max(start, scanned)...].firstIndex(of: 0) {
      take(Array(received[start..<end]))
      start = end + 1
    }
    received.removeFirst(start)
    scanned = received.count
  }

  private func take(_ message: [UInt8]) {
    guard let json = JSON.parse(message) else { return }
    if let id = json["id"]?.integer {
      answers[id] = json
    } else if let session = json["sessionId"]?.string, let method = json["method"]?.string {
      pages[session]?.note(method, json["params"] ?? .null)
    }
  }

  private func ended() -> Failure {
    Failure(description: "the browser has ended: \(process.log.suffix(2000))")
  }
}

extension JSON {
  /// A member that has to be there.
  func text(_ key: String) throws -> String {
    guard let text = self[key]?.string else {
      throw ChromePipe.Failure(description: "no \(key) in \(self.text)")
    }
    return text
  }
}
