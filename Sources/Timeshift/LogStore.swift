/// A log's disk side.
final class LogStore: Sendable {
  func published(edge: UInt64, evictedBlocks: Int) {}
}
