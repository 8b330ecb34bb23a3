import Synchronization

/// Memory for answers that wait for those who asked: so much in all, and of each address. Asked once for each answer that
/// is long. An address of which nothing waits finds room where those who have much waiting find none any more.
final class AnswerRoom: Sendable {
  /// Shorter ones are bounded by the number of connections.
  static let bytesMin = 64 << 10
  static let bytesMax = 256 << 20
  static let ofAddressMax = 64 << 20
  /// With the first answers of addresses.
  static let bytesWithFirstsMax = 512 << 20

  enum Refusal: Error {
    /// The address has enough waiting for it.
    case own
    /// All together have.
    case full
  }

  private struct State {
    var bytes = 0
    var ofAddress: [AddressBlock: Int] = [:]
  }

  private let state = Mutex(State())

  /// A place for so many bytes, given back when nobody holds it any more. Who has none yet gets one of any size.
  ///
  func take(_ bytes: Int, for customer: AddressBlock?) throws(Refusal) -> Place {
    let refusal = state.withLock { state -> Refusal? in
      guard let customer else { return nil }
      let own = state.ofAddress[customer, default: 0]
      if own > 0, own + bytes > Self.ofAddressMax { return .own }
      let most = own > 0 ? Self.bytesMax : Self.bytesWithFirstsMax
      if state.bytes > 0, state.bytes + bytes > most { return .full }
      state.ofAddress[customer] = own + bytes
      state.bytes += bytes
      return nil
    }
    if let refusal { throw refusal }
    return Place(self, bytes, customer)
  }

  /// Whether more than half of it is taken: then nobody takes their time.
  var isCrowded: Bool { state.withLock { $0.bytes > Self.bytesMax / 2 } }

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
