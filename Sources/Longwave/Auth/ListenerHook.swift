import Ingest
import Logging
import Server
import Synchronization
import Wire

/// Asks a web service whether a listener may listen, and tells the service when a listener has gone. The form is that
/// of Icecast's URL authentication (`src/auth_url.c`): `action`, `server`, `port`, `client`, `mount`, `user`, `pass`,
/// `ip`, `agent`.
final class ListenerHook: Sendable {
  enum Answer: Sendable {
    /// - seconds: how long the listener may listen; nil for no limit.
    case yes(seconds: Double?)
    /// - reason: the service's reason, if it gives one.
    case no(reason: String?)
    case unreachable
    case busy
  }

  /// Seconds that a service has for taking a farewell.
  private static let farewellTimeout = 10.0

  private let services: HookServices
  private let logger: Logger
  private let isInTrouble = Mutex(false)

  init(services: HookServices, logger: Logger) {
    self.services = services
    self.logger = logger
  }

  func ask(_ url: String, about request: ListenerRequest) async -> Answer {
    let form = Self.form("listener_add", request)
    let answer = await services[url].ask(url, for: AddressBlock(request.origin)) { [self] seconds in
      post(form, to: url, within: seconds)
        .map { reply in Self.answer(status: reply.status) { reply[$0] } }
    }
    guard let answer else { return .busy }
    return answer ?? .unreachable
  }

  /// Tells the service that an admitted listener has gone. Returns at once.
  func tell(_ url: String, of request: ListenerRequest, seconds: Double) {
    let form =
      Self.form("listener_remove", request) + "&duration=\(Int(bounded: seconds.rounded()))"
    services[url].tell(url) { [self] in _ = post(form, to: url, within: Self.farewellTimeout) }
  }

  private func post(_ form: String, to url: String, within seconds: Double) -> FetchReply? {
    do throws(FetchError) {
      let reply = try Fetch.head(
        ofReplyTo: url, method: "POST",
        headers: [
          "Content-Type: application/x-www-form-urlencoded", "User-Agent: \(RelayVersion.name)",
        ], body: Array(form.utf8), timeout: seconds)
      note(nil)
      return reply
    } catch {
      note("\(URLText.withoutSecrets(url)): \(error.reason)")
      return nil
    }
  }

  /// Logs the beginning of trouble once, and its end.
  private func note(_ trouble: String?) {
    let hasChanged = isInTrouble.withLock { is_ in
      defer { is_ = trouble != nil }
      return is_ != (trouble != nil)
    }
    guard hasChanged else { return }
    if let trouble {
      logger.warning("the service that admits listeners cannot be asked: \(trouble)")
    } else {
      logger.info("the service that admits listeners answers again")
    }
  }

  /// Returns what a service's reply means. Pure. icecast-kh's `withintro` admits too.
  static func answer(status: Int, field: (String) -> String?) -> Answer {
    let verdict = field("icecast-auth-user")?.lowercased()
    guard (200..<300).contains(status), verdict == "1" || verdict == "withintro" else {
      return .no(reason: field("icecast-auth-message").map(LogText.line))
    }
    let limit = field("icecast-auth-timelimit").flatMap(Double.init)
    // "Unlimited" is often written as a huge number; no time at all means no limit either.
    return .yes(seconds: limit.flatMap { $0 > 0 && $0 <= DurationText.secondsMax ? $0 : nil })
  }

  /// Returns the form about a listener. Pure.
  static func form(_ action: String, _ request: ListenerRequest) -> String {
    let credentials = BasicCredentials(request.head.fields)
    let authority = request.head.host ?? ""
    let port = authority.lastIndex(of: ":").flatMap {
      Int(authority[authority.index(after: $0)...])
    }
    let server = port == nil ? authority : String(authority[..<authority.lastIndex(of: ":")!])
    let pairs = [
      ("action", action), ("server", server), ("port", "\(port ?? 80)"),
      ("client", "\(request.id)"), ("mount", request.head.target),
      ("user", credentials?.user ?? ""),
      ("pass", credentials.map { String(decoding: $0.password, as: UTF8.self) } ?? ""),
      ("ip", request.origin.host), ("agent", request.head.fields["User-Agent"] ?? ""),
      ("referer", request.head.fields["Referer"] ?? ""),
    ]
    return pairs.map { "\($0.0)=\(URLText.percentEncoded($0.1))" }.joined(separator: "&")
  }
}
