import Foundation
import Glibc
import Longwave
import Reactor
import TestSupport
import Testing

/// Debian's Firefox without a screen, driven by Marionette: JSON behind its length, on a port of loopback.
///
/// Its data folder and all of its processes go with the last reference.
final class FirefoxDriver: WebTab {
  static var isInstalled: Bool { Binary.find("firefox-esr") != nil }

  /// What it plays on.
  let sound: SoundCard
  private let home: TemporaryDirectory
  private let process: ChildProcess
  private let client: StreamClient
  /// Bytes of `client.received` that have been read.
  private var read = 0
  private var lastID = 0

  private static let options = [
    "--headless", "--marionette", "--no-remote", "--remote-allow-system-access", "--profile",
  ]

  /// Port 0 is one of the system's choice; `file` and 2 say where files are saved.
  ///
  /// A sound card that takes whatever it is given leaves no gap in which Firefox can end a sound, but between two
  /// writes: they are short, or a jump is heard only seconds after it.
  private static func preferences(_ home: TemporaryDirectory) -> String {
    """
    user_pref("marionette.port", 0);
    user_pref("media.cubeb.backend", "alsa");
    user_pref("media.cubeb_latency_playback_ms", 5);
    user_pref("browser.download.folderList", 2);
    user_pref("browser.download.dir", "\(home.file("saved"))");
    user_pref("browser.shell.checkDefaultBrowser", false);
    user_pref("datareporting.policy.dataSubmissionEnabled", false);

    """
  }

  init() async throws {
    let home = TemporaryDirectory()
    let sound = SoundCard(in: home)
    home.write("user.js", Array(Self.preferences(home).utf8))
    let process = try ChildProcess(
      ["firefox-esr"] + Self.options + [home.path, "about:blank"],
      environment: [
        "PATH=/usr/bin:/bin", "HOME=\(home.path)", "LC_ALL=C.UTF-8", "TZ=UTC",
        "MOZ_CRASHREPORTER_DISABLE=1", "MOZ_HEADLESS_WIDTH=1280", "MOZ_HEADLESS_HEIGHT=900",
      ], leadsGroup: true)
    let port: UInt16 = try await eventually("Firefox's port", within: 120) {
      guard process.status() == nil else {
        throw TimeIsUp(description: "Firefox has ended: \(process.log.suffix(2000))")
      }
      return UInt16(String(decoding: home.read("MarionetteActivePort"), as: UTF8.self))
    }
    (self.home, self.sound, self.process) = (home, sound, process)
    client = try StreamClient(to: SocketAddress("127.0.0.1:\(port)")!, sending: "")
    _ = try await eventually("Firefox's greeting") { try next() }
    try await call("WebDriver:NewSession")
  }

  /// Runs a browser for as long as `body` takes.
  static func with(_ body: (FirefoxDriver) async throws -> Void) async throws {
    let browser = try await FirefoxDriver()
    do {
      try await body(browser)
    } catch {
      await browser.end()
      throw error
    }
    await browser.end()
  }

  /// Ends it in good order, so that it writes no more into its folder when that is removed.
  private func end() async {
    _ = try? await call("Marionette:Quit", ["flags": ["eForceQuit"]], within: 10)
    _ = try? await process.end(within: 10)
    sound.end()
  }

  // MARK: The protocol

  /// Calls a command and returns its result.
  @discardableResult
  func call(
    _ command: String, _ parameters: JSON = .object([]), within seconds: Double = 120
  ) async throws -> JSON {
    lastID += 1
    let message = JSON.array([JSON(0), JSON(lastID), .string(command), parameters]).bytes
    client.send(Array("\(message.count):".utf8) + message)
    let answer = try await eventually("the browser's answer to \(command)", within: seconds) {
      let items = try next()?.items ?? []
      return items.count == 4 && items[1].integer == lastID ? items : nil
    }
    guard answer[2].isNull else {
      throw TimeIsUp(description: "\(command): \(answer[2].text.prefix(600))")
    }
    return answer[3]
  }

  /// The next message, if all of it is there.
  private func next() throws -> JSON? {
    client.drain()
    guard !client.isEnded else {
      throw TimeIsUp(description: "Firefox has ended: \(process.log.suffix(2000))")
    }
    let rest = client.received[read...]
    guard let colon = rest.firstIndex(of: UInt8(ascii: ":")),
      let length = Int(String(decoding: rest[..<colon], as: UTF8.self)),
      rest.endIndex - colon > length
    else { return nil }
    read = colon + 1 + length
    return JSON.parse(Array(rest[(colon + 1)..<read]))
  }

  // MARK: What is there

  func value(of expression: String) async throws -> JSON {
    // Run as the page's own scripts are.
    let answer = try await call(
      "WebDriver:ExecuteScript",
      [
        "script": .string("return (\(expression))"), "args": [], "sandbox": nil,
        "newSandbox": .bool(false),
      ])
    return answer["value"] ?? .null
  }

  /// Errors of scripts and of what policies refused, since `begin`.
  func errors() async throws -> [String] {
    // Warnings have the flag 1, mere information 8.
    try await ofBrowser(
      "Services.console.getMessageArray().filter(each => each instanceof Ci.nsIScriptError"
        + " && !(each.flags & 9) && each.sourceName.startsWith('http'))"
        + ".map(each => `${each.errorMessage} ${each.sourceName}:${each.lineNumber}`)"
    ).items.compactMap(\.string)
  }

  /// The value of an expression that sees the browser in place of the page.
  private func ofBrowser(_ expression: String) async throws -> JSON {
    try await call("Marionette:SetContext", ["value": "chrome"])
    let value: JSON
    do {
      value = try await self.value(of: expression)
    } catch {
      try await call("Marionette:SetContext", ["value": "content"])
      throw error
    }
    try await call("Marionette:SetContext", ["value": "content"])
    return value
  }

  /// What it has saved whole, by name.
  func saved() -> [String: [UInt8]] {
    let folder = home.file("saved")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    guard !names.contains(where: { $0.hasSuffix(".part") }) else { return [:] }
    return Dictionary(
      uniqueKeysWithValues: names.map { ($0, (try? readFile("\(folder)/\($0)")) ?? []) })
  }

  // MARK: What is done to it

  /// Forgets what the browser complained of, and what is saved.
  func begin() async throws {
    _ = try await ofBrowser("Services.console.reset()")
    try? FileManager.default.removeItem(atPath: home.file("saved"))
  }

  /// Goes to an address and waits until all of it is loaded.
  func open(_ url: String) async throws {
    try await call("WebDriver:Navigate", ["url": .string(url)])
  }

  func click(x: Double, y: Double) async throws {
    let actions: JSON = [
      ["type": "pointerMove", "x": JSON(Int(x)), "y": JSON(Int(y)), "duration": JSON(0)],
      ["type": "pointerDown", "button": JSON(0)], ["type": "pointerUp", "button": JSON(0)],
    ]
    try await perform([
      "type": "pointer", "id": "mouse", "parameters": ["pointerType": "mouse"], "actions": actions,
    ])
  }

  /// Keys that have a name, by the code points of WebDriver.
  private static let keys = [
    "ArrowLeft": "\u{E012}", "ArrowRight": "\u{E014}", "Enter": "\u{E007}", "Escape": "\u{E00C}",
  ]

  /// Presses keys one after the other.
  func press(_ names: String...) async throws {
    let keys = names.map { JSON.string(Self.keys[$0] ?? $0) }
    let actions = keys.flatMap {
      [["type": "keyDown", "value": $0], ["type": "keyUp", "value": $0]] as [JSON]
    }
    try await perform(["type": "key", "id": "keys", "actions": .array(actions)])
  }

  func type(_ text: String) async throws {
    for letter in text { try await press(String(letter)) }
  }

  private func perform(_ actions: JSON) async throws {
    try await call("WebDriver:PerformActions", ["actions": [actions]])
  }

  /// Has everything asked and done inside of a frame of the page.
  /// - Parameter frame: an expression.
  func inside(_ frame: String, _ body: () async throws -> Void) async throws {
    guard let element = try await value(of: frame).members.first?.value else {
      throw TimeIsUp(description: "no frame: \(frame)")
    }
    try await call("WebDriver:SwitchToFrame", ["element": element])
    try await body()
    try await call("WebDriver:SwitchToFrame", ["element": nil])
  }
}

/// One Firefox for all tests of a suite, since it takes seconds to start.
struct InFirefox: SuiteTrait, TestScoping {
  // The suite's tests run one after the other.
  private struct Shared: @unchecked Sendable {
    let browser: FirefoxDriver
  }

  @TaskLocal private static var shared: Shared?

  /// That of the suite whose test runs.
  static var browser: FirefoxDriver {
    get throws { try #require(shared?.browser, "the suite has the trait InFirefox") }
  }

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable @concurrent () async throws -> Void
  ) async throws {
    try await FirefoxDriver.with { browser in
      try await Self.$shared.withValue(Shared(browser: browser)) { try await function() }
    }
  }
}
