import Synchronization

/// Memory for answers that wait for those who asked: so much in all, and of each address. Asked once for each answer that
/// is long.
final class AnswerRoom: Sendable {
  /// Shorter ones are bounded by the number of connections.
  static let bytesMin = 64 << 10
  static let bytesMax = 256 << 20
  static let ofAddressMax = 64 << 20

  private struct State {
    var bytes = 0
    var ofAddress: [AddressBlock: Int] = [:]
  }

  private let state = Mutex(State())

  /// A place for so many bytes, given back when nobody holds it any more. Who has none yet gets one of any size.
  ///
  /// - Returns: nil: there is no room.
  func take(_ bytes: Int, for customer: AddressBlock?) -> Place? {
    let isTaken = state.withLock { state in
      guard let customer else { return true }
      let own = state.ofAddress[customer, default: 0]
      if own > 0, own + bytes > Self.ofAddressMax { return false }
      if state.bytes > 0, state.bytes + bytes > Self.bytesMax { return false }
      state.ofAddress[customer] = own + bytes
      state.bytes += bytes
      return true
    }
    return isTaken ? Place(self, bytes, customer) : nil
  }

  private func release(_ bytes: Int, of customer: AddressBlock?) {
    guard let customer else { return }
    state.withLock { state in
      let left = state.ofAddress[customer, default: 0] - bytes
      state.ofAddress[customer] = left > 0 ? left : nil
      state.bytes -= bytes
    }
  }

  final class Place: Sendable {
    private let room: AnswerRoom
    private let bytes: Int
    private let customer: AddressBlock?

    fileprivate init(_ room: AnswerRoom, _ bytes: Int, _ customer: AddressBlock?) {
      (self.room, self.bytes, self.customer) = (room, bytes, customer)
    }

    deinit { room.release(bytes, of: customer) }
  }
}
