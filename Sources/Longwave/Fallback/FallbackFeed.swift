import Ingest
import Reactor
import Threads
import Timeshift
import Wire

/// The log of a file in a loop, or of silence, while it is needed. The log is in memory only, and belongs to no
/// station.
///
/// The feed runs on a loop's thread, as upstreams do: on Swift's pool it would wait for other work.
actor FallbackFeed {
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  enum Content: Hashable, Sendable {
    case silence(SilentPacket)
    case file(FallbackFile)
  }

  /// Seconds that the log is ahead of real time. A listener lands half a second behind the edge, where there must be
  /// audio, and pieces come a few times a second.
  private static let leadSeconds = 2.0

  nonisolated let log: PacketLog
  private let loop: EventLoop
  private let content: Content
  private let feed: Feed
  private let source: LocalSource
  private let paths: NamedPaths
  /// Position in the file.
  private var place = 0
  private var ahead: ArraySlice<UInt8> = []
  private var isFilling = false
  /// Calls when there is room for more; nil while the feed is not needed.
  private var alarm: LoopAlarm?
  private let report: @Sendable (String) -> Void
  /// The failure that was reported last; nil once the file plays again.
  private var failure: FallbackFile.Failure?

  /// Makes the feed, which runs on `loop`. `report` is called with the reason when the file stops playing; the file is
  /// tried again.
  init(
    _ content: Content, _ paths: NamedPaths, on loop: EventLoop,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.loop = loop
    self.content = content
    self.paths = paths
    self.report = report
    feed = Feed(
      LogWriter(memoryOnly: LogConfiguration(), at: .now()), lead: Self.leadSeconds)
    log = feed.log
    source = LocalSource(feed)
  }

  /// Starts the feed while it is needed, where it left off, and stops it otherwise.
  func run(_ isNeeded: Bool) {
    guard isNeeded == (alarm == nil) else { return }
    alarm?.end()
    alarm = isNeeded ? LoopAlarm(loop) { [weak self] in self?.assumeIsolated { $0.goOn() } } : nil
    if isNeeded { goOn() }
  }

  private func goOn() {
    if isFilling { return }
    isFilling = true
    Task {
      let pause = await fill()
      isFilling = false
      alarm?.set(after: Int64(nanosecondsIn: pause))
    }
  }

  private static let pieceBytes = 4096
  private static let retrySeconds = 5.0

  /// Fills the log up to its lead.
  /// - Returns: seconds to wait.
  private func fill() async -> Double {
    while true {
      let now = Moment.now()
      if let pause = feed.pause(at: now) { return pause }
      switch content {
      case .silence(let packet):
        feed.append(packet, at: now)
        feed.publish(at: now)
      case .file(let file):
        do throws(FallbackFile.Failure) {
          try await play(file)
          failure = nil
        } catch {
          if error != failure { report("\(error)") }
          failure = error
          return Self.retrySeconds
        }
      }
    }
  }

  /// Plays the next piece of the file.
  private func play(_ file: FallbackFile) async throws(FallbackFile.Failure) {
    if ahead.isEmpty {
      let from = place
      let read: Result<[UInt8], FallbackFile.Failure>
      do throws(SilentPath) {
        read = try await paths.wait(file.path) {
          Result { () throws(FallbackFile.Failure) in try file.read(from: from) }
        }
      } catch {
        throw FallbackFile.Failure(description: "\(error)")
      }
      let piece = try read.get()
      place += piece.count
      ahead = piece[...]
      if piece.isEmpty {
        place = 0
        if source.fileEnded(at: .now()) { return }
        throw FallbackFile.Failure(description: "\(file.path) has no audio of a known format")
      }
    }
    source.read(Array(ahead.prefix(Self.pieceBytes)), at: .now())
    ahead = ahead.dropFirst(Self.pieceBytes)
  }
}
