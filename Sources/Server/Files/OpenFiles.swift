import Synchronization

/// Files on demand that are open at once, each for all who hear it: they may not take the descriptors that upstreams,
/// logs and newcomers need. Asked once for each file that is opened.
final class OpenFiles: Sendable {
  enum Refusal: Error {
    /// As many are open as may be.
    case full
    /// The address, or the /48 it lies in, has opened its share of them.
    case own
  }

  private let most: Int
  private let count = Atomic<Int>(0)
  private let addresses = AddressPlaces(countsSites: true)

  init(max most: Int) {
    self.most = most
    addresses.setMax(max(8, most / 16))
  }

  /// - Parameter customer: who wants it first; nil: nobody who is counted.
  /// - Returns: what is to be kept as long as the file is open.
  func take(_ customer: AddressBlock?) throws(Refusal) -> Place {
    guard addresses.take(customer) else { throw .own }
    guard count.add(1, ordering: .relaxed).newValue <= most else {
      release(customer)
      throw .full
    }
    return Place(self, customer)
  }

  private func release(_ customer: AddressBlock?) {
    count.subtract(1, ordering: .relaxed)
    addresses.release(customer)
  }

  final class Place: Sendable {
    private let files: OpenFiles
    private let customer: AddressBlock?

    fileprivate init(_ files: OpenFiles, _ customer: AddressBlock?) {
      (self.files, self.customer) = (files, customer)
    }

    deinit { files.release(customer) }
  }
}
