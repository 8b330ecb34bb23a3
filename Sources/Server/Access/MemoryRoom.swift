import Synchronization

/// Memory for what waits until somebody has sent or taken all of it: so much in all, of each address, and of each /48 of
/// IPv6. Asked once for each that is long. An address of which nothing waits finds room where those who have much
/// waiting find none any more.
final class MemoryRoom: Sendable {
  struct Limits: Sendable {
    var inAll: Int
    var ofAddress: Int
    /// With the first ones of addresses; a /48 has one first, however many addresses are in it.
    var withFirsts: Int
  }

  /// Shorter answers are bounded by the number of connections.
  static let answerBytesMin = 64 << 10
  static let answers = Limits(inAll: 256 << 20, ofAddress: 64 << 20, withFirsts: 512 << 20)
  static let bodies = Limits(inAll: 32 << 20, ofAddress: 4 << 20, withFirsts: 64 << 20)

  /// How many times as much as an address a /48 may have: it may be one customer's, or some hundred's.
  private static let siteFactor = 2

  enum Refusal: Error {
    /// The address has enough waiting, or the /48 it lies in.
    case own
    /// All together have.
    case full
  }

  /// A page that many may take at once, and that is in memory once. It belongs to one of them at a time; for the others,
  /// as for short answers, the number of connections is the bound.
  final class SharedPage: Sendable {}

  /// Who takes a shared page.
  private struct Takers {
    let bytes: Int
    var owner: AddressBlock
    var counts: [AddressBlock: Int] = [:]
  }

  private struct State {
    var bytes = 0
    /// By address and by /48; none is 0.
    var ofAddress: [AddressBlock: Int] = [:]
    var pages: [ObjectIdentifier: Takers] = [:]

    /// - Parameter bytes: less than 0: given back.
    mutating func add(_ bytes: Int, of customer: AddressBlock) {
      self.bytes += bytes
      for key in customer.withSite {
        let left = ofAddress[key, default: 0] + bytes
        ofAddress[key] = left > 0 ? left : nil
      }
    }
  }

  private let limits: Limits
  private let state = Mutex(State())

  init(_ limits: Limits) { self.limits = limits }

  /// How much of it is taken.
  var bytes: Int { state.withLock(\.bytes) }

  /// A place for so many bytes, given back when nobody holds it any more. Who has none yet gets one of any size.
  ///
  /// - Parameters:
  ///   - customer: nil: the administration's own socket, which nothing is counted of.
  ///   - page: what it is for, where others may take the same.
  func take(
    _ bytes: Int, for customer: AddressBlock?, of page: SharedPage? = nil
  ) throws(Refusal) -> Place {
    guard let customer else { return Place(self, 0, nil, nil) }
    let refused = state.withLock { state -> Refusal? in
      let id = page.map(ObjectIdentifier.init)
      if let id, state.pages[id] != nil {
        state.pages[id]?.counts[customer, default: 0] += 1
        return nil
      }
      if let refusal = refusal(of: bytes, for: customer, in: state) { return refusal }
      state.add(bytes, of: customer)
      if let id { state.pages[id] = Takers(bytes: bytes, owner: customer, counts: [customer: 1]) }
      return nil
    }
    if let refused { throw refused }
    return Place(self, bytes, customer, page)
  }

  private func refusal(of bytes: Int, for customer: AddressBlock, in state: State) -> Refusal? {
    let own = state.ofAddress[customer, default: 0]
    let ofSite = customer.site.map { state.ofAddress[$0, default: 0] } ?? own
    if own > 0, own + bytes > limits.ofAddress { return .own }
    if customer.site != nil, ofSite > 0, ofSite + bytes > limits.ofAddress * Self.siteFactor {
      return .own
    }
    let most = ofSite > 0 ? limits.inAll : limits.withFirsts
    return state.bytes > 0 && state.bytes + bytes > most ? .full : nil
  }

  /// Whether more than half of it is taken: then nobody takes their time.
  var isCrowded: Bool { state.withLock { $0.bytes > limits.inAll / 2 } }

  private func release(_ bytes: Int, of customer: AddressBlock, _ page: SharedPage?) {
    state.withLock { state in
      guard let page else { return state.add(-bytes, of: customer) }
      let id = ObjectIdentifier(page)
      guard var takers = state.pages.removeValue(forKey: id) else { return }
      let left = takers.counts[customer, default: 1] - 1
      takers.counts[customer] = left > 0 ? left : nil
      // Who goes on taking it has it from now on.
      if takers.counts[takers.owner] == nil {
        state.add(-takers.bytes, of: takers.owner)
        guard let next = takers.counts.keys.first else { return }
        takers.owner = next
        state.add(takers.bytes, of: next)
      }
      state.pages[id] = takers
    }
  }

  final class Place: Sendable {
    private let room: MemoryRoom
    private let bytes: Int
    private let customer: AddressBlock?
    private let page: SharedPage?

    fileprivate init(
      _ room: MemoryRoom, _ bytes: Int, _ customer: AddressBlock?, _ page: SharedPage?
    ) {
      (self.room, self.bytes, self.customer, self.page) = (room, bytes, customer, page)
    }

    deinit {
      if let customer { room.release(bytes, of: customer, page) }
    }
  }
}
