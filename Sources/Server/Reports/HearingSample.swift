import Wire

/// How many listeners hear which second of some logs, at one moment.
public struct HearingSample: Hashable, Sendable {
  /// By the log's serial number and the air time of what is heard, in seconds since 1970.
  public private(set) var logs: [UInt64: [Int64: Int]] = [:]

  public init() {}

  public mutating func add(_ listeners: Int, at second: Int64, of log: UInt64) {
    logs[log, default: [:]][second, default: 0] += listeners
  }

  mutating func add(_ other: HearingSample) {
    for (log, seconds) in other.logs {
      logs[log, default: [:]].merge(seconds, uniquingKeysWith: +)
    }
  }
}
