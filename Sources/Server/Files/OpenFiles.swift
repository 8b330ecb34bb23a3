import Media
import Synchronization
import Timeshift

/// Files on demand that are open at once, each for all its listeners. They may not take the descriptors that upstreams,
/// logs and newcomers need. A file counts for one of the addresses that hear it, and for another one when that has
/// gone.
final class OpenFiles: Sendable {
  enum Refusal: Error {
    /// As many files are open as may be.
    case full
    /// The address, or the /48 it lies in, has opened its share of the files.
    case own
  }

  private let most: Int
  private let count = Atomic<Int>(0)
  fileprivate let addresses = AddressPlaces(countsSites: true)

  init(max most: Int) {
    self.most = most
    addresses.setMax(max(8, most / 16))
  }

  /// Files that all may open; the last quarter is for addresses that have none open.
  private var shared: Int { most / 4 * 3 }

  /// How many files are open, and how many may be.
  var figures: (now: Int, max: Int) { (count.load(ordering: .relaxed), most) }

  /// Whether no address opens a second file any more.
  var isCrowded: Bool { count.load(ordering: .relaxed) >= shared }

  /// Counts a file for a listener. Called by one thread at a time for the same file.
  ///
  /// - Parameter customer: address that is to hear the file; nil for one that is not counted, or when the file is only
  ///   looked at.
  /// - Returns: what is to be kept as long as the file is heard.
  func hear(_ file: MediaFile, for customer: AddressBlock?) throws(Refusal) -> Hearing {
    if let place = file.kept as? Place { return Hearing(place, customer) }
    let most = customer.map { addresses.reserved($0) > 0 } == true ? shared : most
    guard addresses.reserve(customer) else { throw .own }
    guard count.add(1, ordering: .relaxed).newValue <= most else {
      count.subtract(1, ordering: .relaxed)
      addresses.release(customer)
      throw .full
    }
    let place = Place(self, for: customer)
    file.keep(place)
    return Hearing(place, customer)
  }

  /// Counts a file, as long as it is open.
  fileprivate final class Place: Sendable {
    private struct State {
      /// Address that the file counts for; nil for none.
      var owner: AddressBlock?
      /// Listeners of the file, by address.
      var counts: [AddressBlock: Int] = [:]
    }

    private let files: OpenFiles
    private let state: Mutex<State>

    init(_ files: OpenFiles, for owner: AddressBlock?) {
      self.files = files
      state = Mutex(State(owner: owner))
    }

    func join(_ customer: AddressBlock) {
      state.withLock { state in
        state.counts[customer, default: 0] += 1
        if state.owner != nil { return }
        files.addresses.add(customer)
        state.owner = customer
      }
    }

    func leave(_ customer: AddressBlock) {
      state.withLock { state in
        let left = state.counts[customer, default: 1] - 1
        state.counts[customer] = left > 0 ? left : nil
        guard state.owner.map({ state.counts[$0] == nil }) ?? true else { return }
        files.addresses.release(state.owner)
        state.owner = state.counts.keys.first { files.addresses.reserve($0) }
        // All addresses have their share: the file counts as one more of the next address.
        guard state.owner == nil, let next = state.counts.keys.first else { return }
        files.addresses.add(next)
        state.owner = next
      }
    }

    deinit {
      files.count.subtract(1, ordering: .relaxed)
      files.addresses.release(state.withLock(\.owner))
    }
  }

  /// Keeps a file counted for one listener.
  final class Hearing: Sendable {
    private let place: Place
    private let customer: AddressBlock?

    fileprivate init(_ place: Place, _ customer: AddressBlock?) {
      (self.place, self.customer) = (place, customer)
      if let customer { place.join(customer) }
    }

    deinit {
      if let customer { place.leave(customer) }
    }
  }
}

extension OpenFiles.Refusal {
  var answer: FoundFile.Answer {
    switch self {
    case .full: .busy("too many files are open; ask again")
    case .own: .tooMany("too many different files are open for your address; ask again")
    }
  }
}
