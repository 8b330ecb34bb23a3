import Synchronization
import Threads
import Timeshift
import Wire

/// Makes values that cost something, on threads of its own: in turn by address, once for all that ask meanwhile, and
/// not at all when they have gone. A value is kept for a while.
public final class SharedCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Kept {
    var value: Value
    /// Time when the value was made, monotonic nanoseconds.
    var madeAt: Int64
    var bytes: Int
  }

  private struct Waiter {
    var customer: AddressBlock?
    var continuation: CheckedContinuation<Value?, Never>
  }

  /// A value that is wanted and not there yet.
  private struct Wish {
    /// The number of the lane's run that makes it; nil before.
    var run: UInt64?
    /// Addresses in whose name a lane has the wish.
    var askers: Set<AddressBlock?> = []
    var waiting: [UInt64: Waiter] = [:]
  }

  private struct State {
    var kept: [Key: Kept] = [:]
    var keptBytes = 0
    var wishes: [Key: Wish] = [:]
    var lastNumber: UInt64 = 0
    var made = 0

    mutating func remove(_ key: Key) {
      if let old = kept.removeValue(forKey: key) { keptBytes -= old.bytes }
    }
  }

  private let lanes: Lanes<AddressBlock>
  /// Lane of the administration's own socket, which waits for no stranger.
  private let ownLane: Lanes<AddressBlock>
  private let keptNanoseconds: Int64
  private let keptBytesMax: Int
  private let bytes: @Sendable (Key, Value) -> Int?
  private let state = Mutex(State())
  /// Orders kept values.
  private let handover = Handover()
  private let keptMax: Int

  /// - Parameters:
  ///   - perCustomer: wishes of one address that wait.
  ///   - bytes: size of a value in bytes; nil when it is not kept.
  public init(
    _ name: String, perCustomer: Int = 32, keptSeconds: Double, keptMax: Int = 256,
    keptBytesMax: Int,
    bytes: @escaping @Sendable (Key, Value) -> Int?
  ) {
    lanes = Lanes(
      name, count: 2, waitingMax: 1024, waitingPerKey: perCustomer, isBackground: true)
    ownLane = Lanes("\(name).own", count: 1, waitingMax: 1024)
    keptNanoseconds = Int64(nanosecondsIn: keptSeconds)
    (self.keptMax, self.keptBytesMax) = (keptMax, keptBytesMax)
    self.bytes = bytes
  }

  /// Number of callers whose value has not been begun.
  var waiting: Int {
    state.withLock { state in
      state.wishes.values.reduce(0) { $0 + ($1.run == nil ? $1.waiting.count : 0) }
    }
  }

  /// How often a value was made.
  var made: Int { state.withLock(\.made) }

  /// Returns the value for a key if it is there already.
  func kept(_ key: Key) -> Value? { state.withLock { fresh(key, in: $0) } }

  /// Returns the value for a key. Nil when too much is asked for, in all or by this address, or when the caller has
  /// gone.
  ///
  /// - Parameters:
  ///   - key: equal keys get the same value.
  ///   - customer: nil for the administration's own socket.
  public func value(
    _ key: Key, for customer: AddressBlock?, make: @escaping @Sendable () -> Value
  ) async -> Value? {
    await value(key, for: customer) { _ in make() }
  }

  /// The same for what takes long.
  ///
  /// - Parameter make: is told whether anybody still waits; what it returns after a no is thrown away.
  public func value(
    _ key: Key, for customer: AddressBlock?,
    make: @escaping @Sendable (_ isWanted: () -> Bool) -> Value
  ) async -> Value? {
    let (kept, number) = state.withLock { state in
      state.lastNumber += 1
      return (fresh(key, in: state), state.lastNumber)
    }
    if let kept { return kept }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        ask(key, number, Waiter(customer: customer, continuation: continuation), make)
        // For a caller that was cancelled before there was anything to leave.
        if Task.isCancelled { leave(key, number) }
      }
    } onCancel: {
      leave(key, number)
    }
  }

  private func fresh(_ key: Key, in state: State) -> Value? {
    guard let kept = state.kept[key],
      MonotonicTime.now().nanoseconds - kept.madeAt < keptNanoseconds
    else { return nil }
    handover.receive()
    return kept.value
  }

  private func ask(
    _ key: Key, _ number: UInt64, _ waiter: Waiter,
    _ make: @escaping @Sendable (() -> Bool) -> Value
  ) {
    let (kept, isToSubmit) = state.withLock { state -> (Value?, Bool) in
      if let kept = fresh(key, in: state) { return (kept, false) }
      var wish = state.wishes[key] ?? Wish()
      wish.waiting[number] = waiter
      // Each address submits the wish: another address that waits for it already may have much in front of it.
      let isFirst = wish.run == nil && wish.askers.insert(waiter.customer).inserted
      state.wishes[key] = wish
      return (nil, isFirst)
    }
    if let kept { return waiter.continuation.resume(returning: kept) }
    guard isToSubmit else { return }
    let customer = waiter.customer
    let lanes = customer == nil ? ownLane : lanes
    // One turn for all of a /48, whose owner has 65,536 addresses.
    let isTaken = lanes.submit(for: customer?.siteOrSelf, refused: { self.refuse(key, customer) }) {
      self.fulfil(key, make)
    }
    if !isTaken { refuse(key, customer) }
  }

  /// Refuses a wish in the name of one address, for which there is no room.
  private func refuse(_ key: Key, _ customer: AddressBlock?) {
    let refused = state.withLock { state -> [Waiter] in
      guard var wish = state.wishes[key], wish.run == nil else { return [] }
      wish.askers.remove(customer)
      let refused = wish.waiting.filter { $0.value.customer == customer }
      for number in refused.keys { wish.waiting[number] = nil }
      state.wishes[key] = wish.askers.isEmpty ? nil : wish
      return Array(refused.values)
    }
    for waiter in refused { waiter.continuation.resume(returning: nil) }
  }

  private func leave(_ key: Key, _ number: UInt64) {
    state.withLock { $0.wishes[key]?.waiting.removeValue(forKey: number) }?
      .continuation.resume(returning: nil)
  }

  /// Makes a value. Runs on a lane once for each address that asked: the first run makes it.
  private func fulfil(_ key: Key, _ make: (() -> Bool) -> Value) {
    let run = state.withLock { state -> UInt64? in
      guard let wish = state.wishes[key], wish.run == nil else { return nil }
      if wish.waiting.isEmpty {
        state.wishes[key] = nil
        return nil
      }
      state.lastNumber += 1
      state.wishes[key]?.run = state.lastNumber
      return state.lastNumber
    }
    guard let run else { return }
    let value = make { isWanted(key, in: run) }
    let size = bytes(key, value)
    handover.give()
    let waiting = state.withLock { state -> [UInt64: Waiter] in
      state.made += 1
      guard state.wishes[key]?.run == run else { return [:] }
      if let size { keep(value, size, of: key, in: &state) }
      return state.wishes.removeValue(forKey: key)?.waiting ?? [:]
    }
    for waiter in waiting.values { waiter.continuation.resume(returning: value) }
  }

  /// Whether anybody waits for what a run makes; after a no, who asks has it made anew.
  private func isWanted(_ key: Key, in run: UInt64) -> Bool {
    state.withLock { state in
      guard let wish = state.wishes[key], wish.run == run else { return false }
      if wish.waiting.isEmpty { state.wishes[key] = nil }
      return !wish.waiting.isEmpty
    }
  }

  private func keep(_ value: Value, _ bytes: Int, of key: Key, in state: inout State) {
    let now = MonotonicTime.now().nanoseconds
    for (key, old) in state.kept where now - old.madeAt >= keptNanoseconds { state.remove(key) }
    state.remove(key)
    guard keptNanoseconds > 0, bytes <= keptBytesMax else { return }
    while state.keptBytes + bytes > keptBytesMax || state.kept.count >= keptMax,
      let oldest = state.kept.min(by: { $0.value.madeAt < $1.value.madeAt })
    {
      state.remove(oldest.key)
    }
    state.kept[key] = Kept(value: value, madeAt: now, bytes: bytes)
    state.keptBytes += bytes
  }
}
