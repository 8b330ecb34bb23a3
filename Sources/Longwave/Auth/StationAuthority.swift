import Logging
import Server
import Wire

/// Decides for one station who may listen: by token, by password, or by asking a web service, in that order.
final class StationAuthority: ListenerAuthorizing {
  let settings: AuthSettings
  let file: PasswordFile?
  private let station: String
  private let checker: PasswordChecker
  private let hook: ListenerHook
  private let guesses: GuessLimit
  private let passes: ListenerPasses

  init(
    _ settings: AuthSettings, station: String, checker: PasswordChecker, services: HookServices,
    guesses: GuessLimit, passes: ListenerPasses, logger: Logger
  ) {
    self.settings = settings
    self.station = station
    self.checker = checker
    self.guesses = guesses
    self.passes = passes
    file = settings.passwordFile.map { PasswordFile(path: $0, logger: logger) }
    hook = ListenerHook(services: services, logger: logger)
    if let file { checker.read(file) }
  }

  /// Decides about a request. After too many wrong guesses of its origin, nothing is checked for a while, and no
  /// service is asked.
  func admit(_ request: ListenerRequest) async -> ListenerVerdict {
    var request = request
    let token = request.head.query["token"]
    if settings.takesPasswords, let known = token.flatMap(passes.credentials) {
      request.head.fields.set("Authorization", known.field)
    }
    let credentials = BasicCredentials(request.head.fields)
    guard token?.isEmpty == false || credentials != nil else {
      return await decide(request, token, nil)
    }
    guard await guesses.begins(request.origin) else { return Self.tooManyGuesses }
    defer { guesses.ended(request.origin) }
    let verdict = await decide(request, token, credentials)
    switch verdict {
    case .admitted: guesses.right(request.origin)
    case .refused(401, _, _, _), .refused(403, _, _, _):
      // A pass from before a restart is no guess: nobody guesses 128 bits.
      if credentials == nil, settings.addURL == nil, token.map(SecretText.isForm) == true {
        break
      }
      let sent = [
        token.map { Array($0.utf8) }, credentials.map { Array($0.user.utf8) },
        credentials?.password,
      ]
      guesses.wrong(request.origin, Guess(sent, for: station))
    case .refused: break
    }
    return verdict
  }

  private func decide(
    _ request: ListenerRequest, _ token: String?, _ credentials: BasicCredentials?
  ) async -> ListenerVerdict {
    if let token, isKnown(token) { return .admitted(ListenerTicket()) }
    if let file, let credentials {
      let address = AddressBlock(request.origin)
      switch await checker.check(
        credentials.user, credentials.password, in: file, for: address)
      {
      case .right: return .admitted(ListenerTicket(user: credentials.user))
      case .busy: return Self.notNow("too many passwords are being checked")
      case .wrong: break
      }
    }
    if let url = settings.addURL { return await ask(url, request, credentials) }
    return refusal
  }

  private func isKnown(_ token: String) -> Bool {
    // All tokens are compared, so that the time tells nothing.
    settings.tokens.count { AdminAccess.areEqual(Array(token.utf8), $0) } > 0
  }

  private func ask(
    _ url: String, _ request: ListenerRequest, _ credentials: BasicCredentials?
  ) async -> ListenerVerdict {
    switch await hook.ask(url, about: request) {
    case .no(let reason): return refused(reason)
    case .unreachable: return Self.notNow("the service that admits listeners does not answer")
    case .busy: return Self.notNow("the service that admits listeners is too slow")
    case .yes(let seconds):
      guard let farewell = settings.removeURL else {
        return .admitted(ListenerTicket(user: credentials?.user, timeMax: seconds))
      }
      return .admitted(
        ListenerTicket(user: credentials?.user, timeMax: seconds) { [hook] listened in
          hook.tell(farewell, of: request, seconds: listened)
        })
    }
  }

  private var refusal: ListenerVerdict { refused(nil) }

  private func refused(_ reason: String?) -> ListenerVerdict {
    // Icecast passes the message on under this name.
    let said = reason.map { [HTTPFields.Field(name: "icecast-auth-message", value: $0)] } ?? []
    guard settings.takesPasswords else {
      return .refused(
        status: 403, code: "token-needed", message: "listening needs a token in the query",
        fields: said)
    }
    let challenge = HTTPFields.Field(
      name: "WWW-Authenticate", value: "Basic realm=\"\(station)\", charset=\"UTF-8\"")
    return .refused(
      status: 401, code: "unauthorized", message: reason ?? "listening needs a user and a password",
      fields: [challenge] + said)
  }

  private static let tooManyGuesses = ListenerVerdict.refused(
    status: 429, code: "too-many-guesses", message: GuessLimit.refusalText,
    fields: [.init(name: "Retry-After", value: "60")])

  private static func notNow(_ message: String) -> ListenerVerdict {
    .refused(
      status: 503, code: "unavailable", message: message,
      fields: [.init(name: "Retry-After", value: "5")])
  }
}

/// The authorities of a relay's stations, which outlive its reloads.
struct StationAuthorities {
  private var all: [String: StationAuthority] = [:]
  private let checker = PasswordChecker()
  private let services: HookServices
  private let guesses: GuessLimit
  private let passes: ListenerPasses
  private let logger: Logger

  init(guesses: GuessLimit, passes: ListenerPasses, logger: Logger) {
    (self.guesses, self.passes, self.logger) = (guesses, passes, logger)
    services = HookServices(logger: logger)
  }

  /// Returns a station's authority; nil when the rules alone decide who may listen.
  func authority(of station: String) -> StationAuthority? { all[station] }

  /// Makes authorities that are new or different, and forgets those that are gone.
  mutating func follow(_ wanted: [(station: String, auth: AuthSettings?)]) {
    var kept: [String: StationAuthority] = [:]
    for case (let station, let auth?) in wanted {
      let old = all[station]
      kept[station] =
        old?.settings == auth
        ? old
        : StationAuthority(
          auth, station: station, checker: checker, services: services, guesses: guesses,
          passes: passes, logger: logger)
    }
    all = kept
  }

  /// Reads the files of users again.
  func readFilesAgain() {
    for authority in all.values { if let file = authority.file { checker.read(file) } }
  }

  /// Returns when the last farewell is sent, or has waited long enough.
  func settle() async { await services.settle() }
}
