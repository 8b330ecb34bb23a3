import Glibc
import Synchronization
import Timeshift
import Wire

/// A station without an upstream: a thread that appends numbered packets to a log in real time, with a new title every
/// `packetsPerTitle` packets.
public final class NumberedLog: Sendable {
  public let log: PacketLog
  public let packetsPerTitle: UInt64
  private let thread = Mutex<pthread_t?>(nil)
  private let isStopping = Atomic<Bool>(false)
  private let paused = Atomic<Bool>(false)
  private let nextNumber: Atomic<UInt64>
  /// When what is in it from the start was on air, seconds: a thread may come late.
  private let fedAt = StreamClient.now()

  /// - Parameters:
  ///   - seconds: what is in the log from the start.
  ///   - first: the number of its first packet.
  public init(log: PacketLog, seconds: Double, first: UInt64 = 0, packetsPerTitle: UInt64 = 50) {
    self.log = log
    self.packetsPerTitle = packetsPerTitle
    let count = UInt64(seconds * 44_100 / 1152)
    nextNumber = Atomic(first)
    append(count, at: .now())
  }

  /// The number of the next packet.
  public var next: UInt64 { nextNumber.load(ordering: .acquiring) }

  /// The title in force at a packet.
  public func title(at number: UInt64) -> String { "Title \(number / packetsPerTitle)" }

  public func start() {
    thread.withLock { thread in
      var handle = pthread_t()
      pthread_create(&handle, nil, { feed($0) }, Unmanaged.passRetained(self).toOpaque())
      thread = handle
    }
  }

  /// While paused nothing arrives; afterwards it goes on with the next number, in real time.
  public func pause(_ isPaused: Bool) { paused.store(isPaused, ordering: .relaxed) }

  public func stop() {
    isStopping.store(true, ordering: .relaxed)
    let handle = thread.withLock { $0 }
    if let handle { pthread_join(handle, nil) }
  }

  /// Appends at once, for a log nobody feeds.
  public func append(_ count: UInt64, at now: Moment) {
    let format = AudioFormat(codec: .mp3, sampleRate: 44_100, channels: 2)
    for _ in 0..<count {
      let number = nextNumber.add(1, ordering: .releasing).oldValue
      if number % packetsPerTitle == 0 { log.markTitle(Title(text: title(at: number))) }
      let frame = NumberedFrames.frame(number)
      log.append(frame.span, samples: 1152, format: format)
    }
    log.publish(at: now)
  }

  fileprivate func run() {
    var owed = 0.0
    var last = fedAt
    while !isStopping.load(ordering: .relaxed) {
      usleep(20_000)
      let now = StreamClient.now()
      if !paused.load(ordering: .relaxed) { owed += (now - last) * 44_100 / 1152 }
      last = now
      if owed >= 1 {
        append(UInt64(owed), at: .now())
        owed -= owed.rounded(.down)
      }
    }
  }
}

private func feed(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  Unmanaged<NumberedLog>.fromOpaque(context!).takeRetainedValue().run()
  return nil
}
