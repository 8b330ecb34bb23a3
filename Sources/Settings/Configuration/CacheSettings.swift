/// `cache:`, what the relay makes of music and can make again.
public struct CacheSettings: Hashable, Sendable {
  /// Bytes of tracks that were made to fit programmes.
  public var renditions: UInt64 = 5_000_000_000
  /// Bytes that are left to everything else on the disk.
  public var keepFree: UInt64 = 1_000_000_000

  public init() {}
}

extension CacheSettings {
  static let rows: [KeyRow<CacheSettings>] = [
    KeyRow("renditions", \.renditions, .size(ConfigurationLimits.renditions)),
    KeyRow("keep-free", \.keepFree, .size(ConfigurationLimits.keepFree)),
  ]
}
