import Ingest
import Threads
import Timeshift

/// The log of a file in a loop, or of silence, while somebody needs it. In memory only, and no station's.
actor FallbackFeed {
  enum Content: Hashable, Sendable {
    case silence(SilentPacket)
    case file(FallbackFile)
  }

  nonisolated let log: PacketLog
  private let content: Content
  private let source: LocalSource
  private let paths: NamedPaths
  /// Of the file.
  private var place = 0
  private var ahead: ArraySlice<UInt8> = []
  private var task: Task<Void, Never>?
  private let report: @Sendable (String) -> Void
  /// What was reported last, until the file plays again.
  private var failure: FallbackFile.Failure?

  /// `report` is told why the file plays no longer; it is tried again.
  init(
    _ content: Content, _ paths: NamedPaths, report: @escaping @Sendable (String) -> Void
  ) {
    self.content = content
    self.paths = paths
    self.report = report
    let writer = LogWriter(memoryOnly: LogConfiguration(), at: .now())
    log = writer.log
    source = LocalSource(writer: writer)
  }

  deinit { task?.cancel() }

  /// Runs while it is needed, and goes on where it was.
  func run(_ isNeeded: Bool) {
    if !isNeeded {
      task?.cancel()
      task = nil
    } else if task == nil {
      task = Task { [weak self] in
        while !Task.isCancelled, let pause = await self?.feed() {
          try? await Task.sleep(for: .seconds(pause))
        }
      }
    }
  }

  private static let pieceBytes = 4096
  private static let retrySeconds = 5.0

  /// Gives the log what it takes now.
  /// - Returns: seconds to wait.
  private func feed() async -> Double {
    while true {
      let now = Moment.now()
      if let pause = source.pause(at: now) { return pause }
      switch content {
      case .silence(let packet): source.take(packet, at: now)
      case .file(let file):
        do throws(FallbackFile.Failure) {
          try await feed(file)
          failure = nil
        } catch {
          if error != failure { report("\(error)") }
          failure = error
          return Self.retrySeconds
        }
      }
    }
  }

  private func feed(_ file: FallbackFile) async throws(FallbackFile.Failure) {
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
      // Another feed has gone on meanwhile: there is one at a time, but a cancelled one ends only here.
      if from != place || !ahead.isEmpty { return }
      place += piece.count
      ahead = piece[...]
      if piece.isEmpty {
        place = 0
        if source.fileEnded(at: .now()) { return }
        throw FallbackFile.Failure(description: "\(file.path) has no audio that we know")
      }
    }
    source.take(Array(ahead.prefix(Self.pieceBytes)), at: .now())
    ahead = ahead.dropFirst(Self.pieceBytes)
  }
}
