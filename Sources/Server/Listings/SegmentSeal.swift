import Reactor
import Synchronization
import Timeshift
import Wire

/// Makes and checks the part of a path by which clients have segments of stations with an authority.
///
/// It is equal for all listeners, so that caches keep a segment once.
final class SegmentSeal: Sendable {
  private let key: Mutex<[UInt8]>

  init(_ secret: [UInt8]) { key = Mutex(secret) }

  func set(_ secret: [UInt8]) { key.withLock { $0 = secret } }

  private static let step: Int64 = 6 * 3600

  /// Returns the seal that lists have now; it counts for 6 to 12 hours.
  func seal(of station: String, at now: WallTime) -> HLSPath.Seal {
    let second = now.unixSeconds
    let expiry = HLSPath.Seal(
      expiry: (second / Self.step).saturatingAdd(2).saturatingMultiply(Self.step), code: 0
    ).expiry
    return HLSPath.Seal(expiry: expiry, code: code(station, expiry))
  }

  /// Whether this server, or one with the same secret, has made it for the station, and it counts still.
  func isValid(_ seal: HLSPath.Seal, of station: String, at now: WallTime) -> Bool {
    // One comparison of 64 bits takes as long whatever they are.
    code(station, seal.expiry) == seal.code && seal.expiry > now.unixSeconds
  }

  private func code(_ station: String, _ expiry: Int64) -> UInt64 {
    let message = Array(station.utf8) + [0] + Array(String(expiry).utf8)
    let code = MessageCode.sha256(of: message, key: key.withLock { $0 })
    return code.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
  }
}
