import Synchronization

/// Memory for bodies and answers that wait until a client has sent or read all of them. The limits are in all, for each
/// address, and for each /48 of IPv6. Asked once for each long one. An address of which nothing waits finds room where
/// addresses that have much waiting find none any more.
final class MemoryRoom: Sendable {
  struct Limits: Sendable {
    var inAll: Int
    var ofAddress: Int
    /// Bytes in all with the first ones of addresses; a /48 has one first, however many addresses are in it.
    var withFirsts: Int
  }

  /// Shorter answers need no room: the number of connections bounds them.
  static let answerBytesMin = 64 << 10
  static let answers = Limits(inAll: 256 << 20, ofAddress: 64 << 20, withFirsts: 512 << 20)
  static let bodies = Limits(inAll: 32 << 20, ofAddress: 4 << 20, withFirsts: 64 << 20)
  /// What an answer to a challenge counts for: a token and the thumbprint of a key are shorter.
  static let challengeBytes = 1 << 10
  /// Requests of an address, of all, and with the first of each. An authority asks for all names of a certificate at once.
  static let challenges = Limits(
    inAll: 64 * challengeBytes, ofAddress: 32 * challengeBytes, withFirsts: 128 * challengeBytes)

  /// Factor by which a /48 may have more than an address: it may belong to one customer or to some hundred.
  private static let siteFactor = 2

  enum Refusal: Error {
    /// The address, or the /48 it lies in, has enough waiting.
    case own
    /// All addresses together have enough waiting.
    case full
  }

  /// A page that many clients may take at once, and that is in memory once. It counts for one of them at a time. For
  /// the others, as for short answers, the number of connections is the bound.
  final class SharedPage: Sendable {}

  /// Addresses that take a shared page.
  private struct Takers {
    let bytes: Int
    var owner: AddressBlock
    var counts: [AddressBlock: Int] = [:]
  }

  private struct State {
    var bytes = 0
    /// Bytes by address and by /48; one without any has no entry.
    var ofAddress: [AddressBlock: Int] = [:]
    var pages: [ObjectIdentifier: Takers] = [:]

    /// Counts bytes of an address.
    ///
    /// - Parameter bytes: negative when they are given back.
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

  /// Bytes that are taken.
  var bytes: Int { state.withLock(\.bytes) }

  /// Reserves room for so many bytes, given back with the last reference to the place. An address that has none yet
  /// gets room of any size, unless all of it is full.
  ///
  /// - Parameters:
  ///   - customer: nil for the administration's own socket, of which nothing is counted.
  ///   - page: the page that the room is for, where others may take the same.
  func reserve(
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

  /// Whether more than half of the room is taken: then clients have less time.
  var isCrowded: Bool { state.withLock { $0.bytes > limits.inAll / 2 } }

  private func release(_ bytes: Int, of customer: AddressBlock, _ page: SharedPage?) {
    state.withLock { state in
      guard let page else { return state.add(-bytes, of: customer) }
      let id = ObjectIdentifier(page)
      guard var takers = state.pages.removeValue(forKey: id) else { return }
      let left = takers.counts[customer, default: 1] - 1
      takers.counts[customer] = left > 0 ? left : nil
      // An address that goes on taking the page has it from now on.
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
