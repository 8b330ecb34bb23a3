import Logging
import Reactor
import Server
import Synchronization
import Timeshift

/// Keeps passwords from being guessed over the network: an address that has been wrong so often is not listened to any
/// more for a minute, right or wrong. For the admin token and the passwords of sources, which are compared in no time;
/// listeners' passwords take a tenth of a second each, see `PasswordDesk`.
final class GuessLimit: Sendable {
  /// In a minute that begins with the first. At this pace eight random letters take some 10,000 years.
  static let wrongMax = 20
  /// The same for tokens of sessions: a page may well ask for one every second before its player has connected.
  static let tokensMax = 600
  static let nanoseconds: Int64 = 60_000_000_000
  private static let addressesMax = 10_000

  /// Who is one to us: an address, in IPv6 the 64 bits that one customer has.
  private struct Key: Hashable {
    var isIPv4: Bool
    var bits: UInt64
  }

  private struct Tally {
    var wrong = 0
    /// Monotonic nanoseconds.
    var endsAt: Int64
  }

  private let tallies = Mutex<[Key: Tally]>([:])
  private let wrongCount = Atomic<UInt64>(0)
  /// What is guessed at, for people.
  private let what: String
  private let wrongMax: Int
  private let logger: Logger
  private let now: @Sendable () -> Int64

  init(
    of what: String = "passwords", wrongMax: Int = GuessLimit.wrongMax, logger: Logger,
    now: @escaping @Sendable () -> Int64 = { MonotonicTime.now().nanoseconds }
  ) {
    self.what = what
    self.wrongMax = wrongMax
    self.logger = logger
    self.now = now
  }

  /// Since the start.
  var wrongPasswords: UInt64 { wrongCount.load(ordering: .relaxed) }

  /// How many are remembered.
  var addresses: Int { tallies.withLock(\.count) }

  /// Whether its passwords are not looked at now. The administration's own socket never is.
  func isSpent(_ origin: APIRequest.Origin) -> Bool {
    guard let key = Self.key(origin) else { return false }
    let now = now()
    return tallies.withLock { tallies in
      guard let tally = tallies[key] else { return false }
      return tally.wrong >= wrongMax && now < tally.endsAt
    }
  }

  /// It has been wrong.
  func wrong(_ origin: APIRequest.Origin) {
    guard let key = Self.key(origin) else { return }
    wrongCount.add(1, ordering: .relaxed)
    let now = now()
    let isSpentNow = tallies.withLock { tallies in
      if tallies.count >= Self.addressesMax { tallies = tallies.filter { now < $0.value.endsAt } }
      // So many at once are no one guesser.
      if tallies.count >= Self.addressesMax { tallies.removeAll() }
      var tally = tallies[key] ?? Tally(endsAt: now + Self.nanoseconds)
      if now >= tally.endsAt { tally = Tally(endsAt: now + Self.nanoseconds) }
      tally.wrong += 1
      tallies[key] = tally
      return tally.wrong == wrongMax
    }
    if isSpentNow {
      logger.warning(
        "\(origin.host) has sent \(wrongMax) wrong \(what); it is not listened to for a while"
      )
    }
  }

  private static func key(_ origin: APIRequest.Origin) -> Key? {
    switch origin.address {
    case .ipv4(let four, _): Key(isIPv4: true, bits: UInt64(four))
    case .ipv6(0, let low, _) where low >> 32 == 0xffff:
      Key(isIPv4: true, bits: low & 0xffff_ffff)
    case .ipv6(let high, _, _): Key(isIPv4: false, bits: high)
    case .unix, nil: nil
    }
  }

  static let refusalText = "Too many wrong guesses have come from your address; wait a minute."

  static var refusal: APIError {
    var error = APIError(429, "too-many-guesses", refusalText)
    error.headers["Retry-After"] = "60"
    return error
  }
}
