/// The threads that write all logs and fetch what readers want.
public final class Storage: Sendable {
  public init(
    files: FileCalls = .posix, handlesMax: Int = 256, flushInterval: Double = 0.25,
    syncInterval: Double = 5
  ) {}
  public func start() {}
  public func stop() {}
}
