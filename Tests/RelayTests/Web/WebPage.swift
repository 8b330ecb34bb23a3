import Longwave
import TestSupport

/// A tab of the browser: what it is told to do, and what it said, asked for and complained of.
final class WebPage: WebTab {
  /// One request of the page, as far as it got.
  struct Request {
    var url: String
    /// As the browser names it: Document, Script, Media, Fetch, EventSource and so on.
    var kind: String
    var status: Int?
    /// Bytes on the wire, head and body.
    var bytes = 0
    var isOver = false

    var path: String {
      let rest = url.drop { $0 != ":" }.dropFirst(3)
      return String(rest.drop { $0 != "/" })
    }
  }

  let chrome: ChromePipe
  let target: String
  let session: String
  /// The frame's context where this stands for a frame inside a page; nil for the page.
  private var context: JSON?
  private var order: [String] = []
  private var requestsByID: [String: Request] = [:]
  private var said: [String] = []
  private var refused: [String] = []

  init(_ chrome: ChromePipe, target: String, session: String) {
    self.chrome = chrome
    self.target = target
    self.session = session
  }

  /// The frame inside this page that shows an address of the path; nothing is noted of what it says.
  func innerFrame(of path: String, within seconds: Double = 60) async throws -> WebPage {
    let frame = try await eventually("a frame of \(path)", within: seconds) {
      let tree = try await call("Page.getFrameTree")["frameTree"]
      return (tree?["childFrames"]?.items ?? []).compactMap { $0["frame"] }.first {
        let address = $0["url"]?.string?.prefix { $0 != "?" }
        return address?.hasSuffix(path) == true && $0["unreachableUrl"] == nil
      }
    }
    let world = try await call("Page.createIsolatedWorld", ["frameId": frame["id"] ?? .null])
    let inner = WebPage(chrome, target: target, session: session)
    inner.context = world["executionContextId"]
    return inner
  }

  func begin() async throws {
    for domain in ["Page", "Runtime", "Log", "Network", "Audits"] {
      try await call("\(domain).enable")
    }
  }

  @discardableResult
  func call(
    _ method: String, _ parameters: JSON = .object([]), within seconds: Double = 60
  ) async throws -> JSON {
    try await chrome.call(method, parameters, session: session, within: seconds)
  }

  // MARK: What it said

  func note(_ event: String, _ details: JSON) {
    switch event {
    case "Runtime.exceptionThrown":
      said.append("exception: \(details["exceptionDetails"]?.text ?? "")")
    case "Runtime.consoleAPICalled" where details["type"]?.string == "error":
      said.append("console: \(details["args"]?.text ?? "")")
    case "Log.entryAdded" where details["entry"]?["level"]?.string == "error":
      let entry = details["entry"]
      said.append("\(entry?["text"]?.string ?? "") \(entry?["url"]?.string ?? "")")
    case "Audits.issueAdded" where details["issue"]?["code"] == "ContentSecurityPolicyIssue":
      refused.append(details["issue"]?["details"]?.text ?? "")
    default:
      if event.hasPrefix("Network."), let id = details["requestId"]?.string {
        noteRequest(id, event, details)
      }
    }
  }

  private func noteRequest(_ id: String, _ event: String, _ details: JSON) {
    switch event {
    case "Network.requestWillBeSent":
      guard let url = details["request"]?["url"]?.string else { return }
      if requestsByID[id] == nil { order.append(id) }
      requestsByID[id] = Request(url: url, kind: details["type"]?.string ?? "")
    case "Network.responseReceived":
      requestsByID[id]?.status = details["response"]?["status"]?.integer
      requestsByID[id]?.bytes += details["response"]?["encodedDataLength"]?.integer ?? 0
    case "Network.dataReceived":
      requestsByID[id]?.bytes += details["encodedDataLength"]?.integer ?? 0
    case "Network.loadingFinished":
      requestsByID[id]?.bytes = details["encodedDataLength"]?.integer ?? 0
      requestsByID[id]?.isOver = true
    case "Network.loadingFailed":
      requestsByID[id]?.isOver = true
    default: break
    }
  }

  /// Errors in the console and exceptions that nobody caught.
  func errors() throws -> [String] {
    try chrome.drain()
    return said
  }

  /// What the page's own Content-Security-Policy refused.
  func refusals() throws -> [String] {
    try chrome.drain()
    return refused
  }

  /// What the page asked for so far, in order; no data: or blob: addresses.
  func requests() throws -> [Request] {
    try chrome.drain()
    return order.compactMap { requestsByID[$0] }.filter { $0.url.hasPrefix("http") }
  }

  /// The streams asked for so far.
  func streams(of station: String) throws -> [Request] {
    try requests().filter { $0.path == "/\(station)" || $0.path.hasPrefix("/\(station)?") }
  }

  // MARK: What is there

  /// The value of an expression, or what a promise comes to.
  @discardableResult
  func evaluate(_ expression: String, asUser: Bool = false) async throws -> JSON {
    var parameters = [
      JSON.Member(key: "expression", value: .string(expression)),
      .init(key: "awaitPromise", value: .bool(true)),
      .init(key: "returnByValue", value: .bool(true)),
      .init(key: "userGesture", value: .bool(asUser)),
    ]
    if let context { parameters.append(.init(key: "contextId", value: context)) }
    let answer = try await call("Runtime.evaluate", .object(parameters))
    if let thrown = answer["exceptionDetails"] {
      throw ChromePipe.Failure(description: "\(expression.prefix(200)): \(thrown.text)")
    }
    return answer["result"]?["value"] ?? .null
  }

  func value(of expression: String) async throws -> JSON { try await evaluate(expression) }

  static func quoted(_ text: String) -> String { JSON.string(text).text }

  // MARK: What is done to it

  /// Goes to an address and waits until all of it is loaded.
  func open(_ url: String) async throws {
    let answer = try await call("Page.navigate", ["url": .string(url)])
    if let error = answer["errorText"]?.string {
      throw ChromePipe.Failure(description: "\(url): \(error)")
    }
    try await loaded()
  }

  func reload() async throws {
    try await evaluate("globalThis.before = true")
    try await call("Page.reload")
    try await until("the page anew", "!globalThis.before")
    try await loaded()
  }

  private func loaded() async throws {
    try await eventually("a page that is loaded") {
      try await evaluate("document.readyState") == "complete"
    }
  }

  func click(x: Double, y: Double) async throws {
    try await mouse("mouseMoved", x, y)
    try await mouse("mousePressed", x, y)
    try await mouse("mouseReleased", x, y)
  }

  /// Moves, presses or lets go the left button, in pixels of the window.
  func mouse(_ kind: String, _ x: Double, _ y: Double, isDown: Bool = false) async throws {
    let presses = kind == "mousePressed" || kind == "mouseReleased"
    try await call(
      "Input.dispatchMouseEvent",
      [
        "type": .string(kind), "x": .number(x), "y": .number(y),
        "button": presses || isDown ? "left" : "none",
        "buttons": JSON(presses && kind == "mousePressed" || isDown ? 1 : 0),
        "clickCount": JSON(presses ? 1 : 0),
      ])
  }

  private static let keyCodes = [
    "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "PageUp": 33, "PageDown": 34,
    "End": 35, "Home": 36, "Escape": 27, "Enter": 13, "Tab": 9, "?": 191, " ": 32,
    "Delete": 46,
  ]

  /// Presses a key and lets it go. `key` is as in `KeyboardEvent.key`.
  func press(_ key: String, shift: Bool = false, alt: Bool = false) async throws {
    let isText = key.count == 1
    let code = Self.keyCodes[key] ?? Int(key.uppercased().unicodeScalars.first!.value)
    let isLetter = isText && key.first!.isLetter
    let name =
      isLetter ? "Key\(key.uppercased())" : key == " " ? "Space" : isText ? "Digit\(key)" : key
    for kind in [isText ? "keyDown" : "rawKeyDown", "keyUp"] {
      var parameters = [
        JSON.Member(key: "type", value: .string(kind)), .init(key: "key", value: .string(key)),
        .init(key: "code", value: .string(name)),
        .init(key: "windowsVirtualKeyCode", value: JSON(code)),
        .init(key: "modifiers", value: JSON((shift ? 8 : 0) + (alt ? 1 : 0))),
      ]
      if isText, kind == "keyDown" { parameters.append(.init(key: "text", value: .string(key))) }
      try await call("Input.dispatchKeyEvent", .object(parameters))
    }
  }

  /// Gives the window a size in CSS pixels.
  func resize(width: Int, height: Int, isPhone: Bool = false) async throws {
    try await call(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": JSON(width), "height": JSON(height), "deviceScaleFactor": JSON(1),
        "mobile": .bool(isPhone),
      ])
  }

  /// Says what the user's system prefers, such as `prefers-color-scheme: dark`.
  func prefer(_ features: [String: String]) async throws {
    let list = features.map {
      JSON.object([
        .init(key: "name", value: .string($0.key)), .init(key: "value", value: .string($0.value)),
      ])
    }
    try await call("Emulation.setEmulatedMedia", ["features": .array(list)])
  }

  func allowScripts(_ allowed: Bool) async throws {
    try await call("Emulation.setScriptExecutionDisabled", ["value": .bool(!allowed)])
  }

  /// Runs a script before those of each page that is opened from now on.
  func beforeEachPage(_ script: String) async throws {
    try await call("Page.addScriptToEvaluateOnNewDocument", ["source": .string("{\(script)}")])
  }

  func goOffline(_ offline: Bool) async throws {
    try await call(
      "Network.emulateNetworkConditions",
      [
        "offline": .bool(offline), "latency": JSON(0), "downloadThroughput": JSON(-1),
        "uploadThroughput": JSON(-1),
      ])
  }

  /// A picture of the whole page, as Base64 of a PNG.
  func picture() async throws -> String {
    try await call(
      "Page.captureScreenshot",
      ["format": "png", "captureBeyondViewport": .bool(true)]
    ).text("data")
  }

  func bringToFront() async throws { try await call("Page.bringToFront") }

  func close() async throws {
    try await chrome.call("Target.closeTarget", ["targetId": .string(target)])
  }
}
