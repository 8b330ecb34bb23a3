import Reactor
import Server
import Synchronization
import Threads
import Timeshift

/// Checks passwords against hashes on threads of its own, each address in turn, and remembers answers for some minutes.
/// A player comes back for every track it probes, and each answer costs a tenth of a second of processor.
final class PasswordChecker: Sendable {
  enum Answer: Hashable, Sendable {
    case right, wrong
    /// Too many checks are waiting, so this password was not checked.
    case busy
  }

  /// Most waiting checks: with two at a time and a tenth of a second each, the last one waits for some 13 s.
  private static let waitingMax = 256
  /// Waiting checks of one address: more at once is guessing, or a crowd that comes again. A /48 has eight times as
  /// many.
  private static let waitingPerAddress = 4
  private static let rememberedMax = 10_000
  private static let remembered: Int64 = 300_000_000_000
  /// Nanoseconds that a wrong answer is remembered: a player with an old password sends it again and again.
  private static let wrongRemembered: Int64 = 60_000_000_000

  /// The key of an answer: two hashes of user, password and file's hash, each with a secret of this process.
  private struct Key: Hashable {
    var first: Int
    var second: Int
  }

  private let lanes: Lanes<AddressBlock>
  private let places = AddressPlaces(countsSites: true)
  /// Files are read one after the other, so that what was read last counts.
  private let reading = Lanes<Int>("htpasswd", count: 1)
  private let known = Mutex<[Key: Int64]>([:])
  /// Wrong answers are kept apart, so that guesses push no right answer out.
  private let knownWrong = Mutex<[Key: Int64]>([:])
  private let secret = (UInt64.random(in: 0 ... .max), UInt64.random(in: 0 ... .max))

  /// Uses half the processors: the other half has listeners to serve.
  init() {
    let count = max(1, Limits.processors() / 2)
    lanes = Lanes("passwords", count: count, waitingMax: Self.waitingMax)
    places.setMax(count + Self.waitingPerAddress)
  }

  func check(
    _ user: String, _ password: [UInt8], in file: PasswordFile, for address: AddressBlock? = nil
  ) async -> Answer {
    let hash = file.hash(of: user)
    let key = key(user, password, hash)
    if hash != nil, known.withLock({ Self.has($0, key) }) { return .right }
    if knownWrong.withLock({ Self.has($0, key) }) { return .wrong }
    guard let held = hash ?? file.anyHash else { return .wrong }
    // All of a /48 share one turn, since its owner has 65,536 address blocks.
    guard places.reserve(address) else { return .busy }
    defer { places.release(address) }
    let matches = await lanes.run(for: address?.siteOrSelf) { held.matches(password) }
    guard let matches else { return .busy }
    guard matches, hash != nil else {
      knownWrong.withLock { Self.remember(key, for: Self.wrongRemembered, in: &$0) }
      return .wrong
    }
    known.withLock { Self.remember(key, for: Self.remembered, in: &$0) }
    return .right
  }

  /// Reads a file on a thread that may wait for it.
  func read(_ file: PasswordFile) {
    _ = reading.submit { file.read() }
  }

  private func key(_ user: String, _ password: [UInt8], _ hash: PasswordHash?) -> Key {
    func digest(_ secret: UInt64) -> Int {
      var hasher = Hasher()
      hasher.combine(secret)
      hasher.combine(user)
      hasher.combine(password)
      hasher.combine(hash)
      return hasher.finalize()
    }
    return Key(first: digest(secret.0), second: digest(secret.1))
  }

  private static func has(_ answers: [Key: Int64], _ key: Key) -> Bool {
    answers[key].map { MonotonicTime.now().nanoseconds < $0 } ?? false
  }

  private static func remember(_ key: Key, for time: Int64, in answers: inout [Key: Int64]) {
    if answers.count >= rememberedMax { answers.removeAll() }
    answers[key] = MonotonicTime.now().nanoseconds + time
  }
}
