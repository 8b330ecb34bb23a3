import Logging
import Server
import Synchronization
import Threads
import Timeshift
import Wire

/// One web service that is asked about listeners, with threads of its own: while it hangs, those of other services go
/// on. Questions, which listeners wait for, never wait for farewells.
final class HookService: Sendable {
  /// Questions that are asked at a time, and farewells.
  private static let askedMax = 8
  private static let toldMax = 2
  /// Questions that may wait; each is a listener who waits as well.
  private static let questionsMax = 256
  private static let questionsPerAddress = 64
  /// Nobody waits for longer than the service has to answer.
  private static let questionAgeMax: Int64 = 10_000_000_000
  /// A full station may leave at once.
  private static let farewellsMax = 20_000
  private static let farewellAgeMax: Int64 = 60_000_000_000
  /// What farewells get when the relay stops.
  private static let settlingMax: Int64 = 3_000_000_000

  private let host: String
  private let logger: Logger
  private let questions: Lanes<AddressBlock>
  private let farewells: Lanes<Int>
  /// Since the last farewell that was sent.
  private let lost = Atomic<Int>(0)
  /// When the relay began to stop, monotonic nanoseconds.
  private let stopsSince = Atomic<Int64>(.max)

  init(host: String, logger: Logger) {
    self.host = host
    self.logger = logger
    questions = Lanes(
      "hook.ask", count: Self.askedMax, waitingMax: Self.questionsMax,
      waitingPerKey: Self.questionsPerAddress)
    farewells = Lanes("hook.tell", count: Self.toldMax, waitingMax: Self.farewellsMax)
  }

  /// nil: too many are being asked about, or its turn came too late.
  func ask<Answer: Sendable>(
    for address: AddressBlock?, _ question: @escaping @Sendable () -> Answer
  ) async -> Answer? {
    let since = MonotonicTime.now().nanoseconds
    // One turn for all of a /48: whoever has one has 65,536 addresses.
    return await questions.run(for: address?.siteOrSelf) {
      let age = MonotonicTime.now().nanoseconds - since
      return age < Self.questionAgeMax ? question() : nil
    } ?? nil
  }

  /// Returns at once. What has waited for too long is left out.
  func tell(_ farewell: @escaping @Sendable () -> Void) {
    let since = MonotonicTime.now().nanoseconds
    let isTaken = farewells.submit { [self] in
      let now = MonotonicTime.now().nanoseconds
      let isSettling = now - stopsSince.load(ordering: .relaxed) > Self.settlingMax
      if now - since > Self.farewellAgeMax || isSettling { return lose() }
      farewell()
      sayLost()
    }
    if !isTaken { lose() }
  }

  /// Returns when the last farewell is out, or has waited for long enough.
  func settle() async {
    stopsSince.store(MonotonicTime.now().nanoseconds, ordering: .relaxed)
    await farewells.idle()
    sayLost()
  }

  private func lose() {
    if lost.add(1, ordering: .relaxed).newValue == 1 {
      logger.warning("\(host) is told too slowly who has gone; some it will not be told of")
    }
  }

  private func sayLost() {
    let count = lost.exchange(0, ordering: .relaxed)
    if count > 0 { logger.warning("\(host) was not told of \(count) listeners who have gone") }
  }
}

/// The services of all stations, by scheme, host and port.
final class HookServices: Sendable {
  private let logger: Logger
  private let services = Mutex<[String: HookService]>([:])

  init(logger: Logger) { self.logger = logger }

  /// The one that a URL leads to.
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
