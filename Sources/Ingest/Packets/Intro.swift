import Timeshift
import Wire

/// Recognises what an upstream sends to each new connection in front of its programme, as Icecast does with `<intro>`.
///
/// Two connections to one URL begin with equal packets, and differ behind them: the equal ones are the intro. Where they
/// never differ, the upstream sends the same each time, or has stood still; where they are silence or a short loop, equal
/// packets prove nothing.
struct Intro {
  /// The most packets compared: 107 s of MP3, 16 KB of hashes.
  private static let packetsMax = 4096
  /// The most URLs whose beginnings are known.
  private static let urlsMax = 4
  /// The seconds for which an intro is waited for; longer while it comes at twice the pace of playing or faster.
  private static let holdMax = 5.0
  private static let fastHoldMax = 30.0

  private struct Known {
    var url: String
    var packets: [UInt32]
  }

  /// The beginnings of the last connection to each URL, the newest last.
  private var known: [Known] = []
  /// The URL connected; nil where beginnings are not compared.
  private var url: String?
  private var before: [UInt32] = []
  private var arrived: [UInt32] = []
  private var distinct: Set<UInt32> = []
  private var began: MonotonicTime?
  private var seconds = 0.0
  private var isSame = false

  /// Begins a connection. `url` is the one behind all redirects; its query may differ each time.
  mutating func begin(_ url: String) {
    end()
    let url = URLText.withoutSecrets(url)
    self.url = url
    before = known.last { $0.url == url }?.packets ?? []
    isSame = !before.isEmpty
  }

  /// Ends the connection.
  mutating func end() {
    // A connection that ended inside the intro knows less than the one before.
    if let url, !arrived.isEmpty, !isSame || arrived.count > before.count {
      known.removeAll { $0.url == url }
      known.append(Known(url: url, packets: arrived))
      if known.count > Self.urlsMax { known.removeFirst() }
    }
    (url, before, arrived, distinct, began, seconds, isSame) = (nil, [], [], [], nil, 0, false)
  }

  /// Notes a packet. Returns how many packets were the intro, when the first one behind it has come.
  ///
  /// - Parameter packetsMin: The number of packets that an intro has at least.
  mutating func arrive(
    _ hash: UInt32, seconds length: Double, packetsMin: Int, at now: MonotonicTime
  ) -> Int? {
    let number = arrived.count
    guard url != nil, number < Self.packetsMax else {
      isSame = false
      return nil
    }
    arrived.append(hash)
    began = began ?? now
    guard isSame else { return nil }
    if number < before.count, before[number] == hash {
      distinct.insert(hash)
      seconds += length
      return nil
    }
    isSame = false
    return number < before.count && isProven(number, packetsMin) ? number : nil
  }

  private func isProven(_ count: Int, _ packetsMin: Int) -> Bool {
    count >= packetsMin && distinct.count * 2 > count
  }

  /// Whether what arrives may still be the intro, and what is behind it is worth waiting for.
  func isWorthWaiting(packetsMin: Int, at now: MonotonicTime) -> Bool {
    guard isSame, let began, arrived.count < before.count, isProven(arrived.count, packetsMin)
    else { return false }
    let held = now.seconds(since: began)
    return held < (seconds >= 2 * held ? Self.fastHoldMax : Self.holdMax)
  }
}
