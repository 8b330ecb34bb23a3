import Logging
import Server
import Synchronization
import Threads
import Timeshift
import Wire

/// A web service that is asked about listeners. It has threads of its own: while it hangs, other services go on.
/// Questions, for which listeners wait, never wait for farewells.
final class HookService: Sendable {
  /// Questions asked at a time, and farewells sent at a time; of one URL fewer, so that one that hangs leaves threads to
  /// the service's others.
  private static let askedMax = 8
  private static let askedOfURLMax = 6
  private static let toldMax = 3
  private static let toldOfURLMax = 2
  /// Most waiting questions; a listener waits for each.
  private static let questionsMax = 256
  private static let questionsPerAddress = 64
  /// Seconds from a question to its answer, waiting included.
  private static let patience = 10.0
  /// Seconds that a service needs at least: with fewer left it is not asked.
  private static let leastSeconds = 0.1
  /// Most waiting farewells; a full station may leave at once.
  private static let farewellsMax = 20_000
  private static let farewellAgeMax: Int64 = 60_000_000_000
  /// Nanoseconds that farewells get when the relay stops.
  private static let settlingMax: Int64 = 3_000_000_000

  private let host: String
  private let patience: Double
  private let logger: Logger
  let questions: Lanes<AddressBlock>
  private let farewells: Lanes<Int>
  /// Farewells lost since the last one that was sent.
  private let lost = Atomic<Int>(0)
  /// When the relay began to stop, monotonic nanoseconds.
  private let stopsSince = Atomic<Int64>(.max)

  /// - Parameter patience: seconds from a question to its answer.
  init(host: String, patience: Double = HookService.patience, logger: Logger) {
    self.host = host
    self.patience = patience
    self.logger = logger
    questions = Lanes(
      "hook.ask", count: Self.askedMax, waitingMax: Self.questionsMax,
      waitingPerKey: Self.questionsPerAddress, runningPerGroup: Self.askedOfURLMax)
    farewells = Lanes(
      "hook.tell", count: Self.toldMax, waitingMax: Self.farewellsMax,
      runningPerGroup: Self.toldOfURLMax)
  }

  /// Asks a question; nil when too many are waiting, or when its turn came too late.
  ///
  /// - Parameter question: gets the seconds that are left for the answer.
  func ask<Answer: Sendable>(
    _ url: String, for address: AddressBlock?,
    _ question: @escaping @Sendable (_ seconds: Double) -> Answer
  ) async -> Answer? {
    let end = MonotonicTime.now().adding(patience)
    // All of a /48 share one turn, since its owner has 65,536 address blocks.
    return await questions.run(for: address?.siteOrSelf, of: url) {
      let left = end.seconds(since: .now())
      return left >= Self.leastSeconds ? question(left) : nil
    } ?? nil
  }

  /// Queues a farewell, and returns at once. A farewell that has waited too long is left out.
  func tell(_ url: String, _ farewell: @escaping @Sendable () -> Void) {
    let since = MonotonicTime.now().nanoseconds
    let isTaken = farewells.submit(of: url) { [self] in
      let now = MonotonicTime.now().nanoseconds
      let isSettling = now - stopsSince.load(ordering: .relaxed) > Self.settlingMax
      if now - since > Self.farewellAgeMax || isSettling { return lose() }
      farewell()
      sayLost()
    }
    if !isTaken { lose() }
  }

  /// Returns when the last farewell is sent, or has waited long enough.
  func settle() async {
    stopsSince.store(MonotonicTime.now().nanoseconds, ordering: .relaxed)
    await farewells.idle()
    sayLost()
  }

  private func lose() {
    if lost.add(1, ordering: .relaxed).newValue == 1 {
      logger.warning(
        "\(host) answers too slowly; some listeners who have gone will not be reported to it")
    }
  }

  private func sayLost() {
    let count = lost.exchange(0, ordering: .relaxed)
    if count > 0 {
      logger.warning("\(host) missed the reports of \(count) listeners who have gone")
    }
  }
}

/// The services of all stations, by scheme, host and port.
final class HookServices: Sendable {
  private let logger: Logger
  private let services = Mutex<[String: HookService]>([:])

  init(logger: Logger) { self.logger = logger }

  /// Returns the service that a URL leads to.
  subscript(url: String) -> HookService {
    let path = url.firstRange(of: "://")?.upperBound ?? url.startIndex
    let end = url[path...].firstIndex { "/?#".contains($0) } ?? url.endIndex
    let host = url[path..<end].split(separator: "@").last.map(String.init) ?? ""
    let name = (url[..<path] + host).lowercased()
    return services.withLock { services in
      if let service = services[name] { return service }
      let service = HookService(host: host, logger: logger)
      services[name] = service
      return service
    }
  }

  func settle() async {
    let all = services.withLock { Array($0.values) }
    await withTaskGroup(of: Void.self) { group in
      for service in all { group.addTask { await service.settle() } }
    }
  }
}
