import Reactor
import Wire

/// A picture that another server has.
public struct FetchedPicture: Hashable, Sendable {
  public var mediaType: String
  public var bytes: [UInt8]

  public init(mediaType: String, bytes: [UInt8]) {
    self.mediaType = mediaType
    self.bytes = bytes
  }
}

/// Why there is no picture, in words.
public struct PictureFailure: Error, Hashable, Sendable {
  public var reason: String

  public init(reason: String) { self.reason = reason }
}

/// The pictures that are being fetched. Used on the ingest loop's thread only.
final class PictureFetches {
  private var running: [UInt64: PictureFetch] = [:]
  private var lastNumber: UInt64 = 0

  func begin(
    _ request: TransferRequest, on machinery: IngestMachinery,
    then: @escaping (Result<FetchedPicture, PictureFailure>) -> Void
  ) {
    lastNumber += 1
    let number = lastNumber
    running[number] = PictureFetch(request, on: machinery) { [unowned self] result in
      running[number] = nil
      then(result)
    }
  }

  /// Ends all of them.
  func close() {
    for fetch in running.values { fetch.end(.failure(PictureFailure(reason: "the relay ends"))) }
  }
}

/// One picture on its way.
private final class PictureFetch: TransferOwner {
  /// Most bytes of a picture.
  static let bytesMax = 2 << 20
  /// Seconds for all of it.
  static let timeout = 5.0

  private var transfer: Transfer?
  private var deadline: LoopTimer?
  private var bytes: [UInt8] = []
  private var status = 0
  private var then: ((Result<FetchedPicture, PictureFailure>) -> Void)?

  init(
    _ request: TransferRequest, on machinery: IngestMachinery,
    then: @escaping (Result<FetchedPicture, PictureFailure>) -> Void
  ) {
    self.then = then
    deadline = LoopTimer(machinery.clock) { [unowned self] in fail("it took too long") }
    deadline?.set(after: Self.timeout)
    transfer = Transfer(request, on: machinery.multi, owner: self)
  }

  deinit { transfer?.cancel() }

  func end(_ result: Result<FetchedPicture, PictureFailure>) {
    deadline?.cancel()
    transfer?.cancel()
    guard let then else { return }
    self.then = nil
    then(result)
  }

  private func fail(_ reason: String) { end(.failure(PictureFailure(reason: reason))) }

  func transfer(
    _ transfer: any BodyTransfer, answered status: Int, fields: [TransferField]
  ) {
    self.status = status
  }

  func transfer(_ transfer: any BodyTransfer, delivered piece: Span<UInt8>) {
    guard bytes.count + piece.count <= Self.bytesMax else {
      return fail("it is longer than \(Self.bytesMax >> 20) MiB")
    }
    piece.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  func transfer(_ transfer: any BodyTransfer, ended: TransferEnd) {
    switch ended {
    case .complete where 200..<300 ~= status:
      guard let type = PictureType.of(bytes) else { return fail("it is no picture") }
      end(.success(FetchedPicture(mediaType: type, bytes: bytes)))
    case .complete: fail("its server answered \(status)")
    case .cut: fail("it came only in part")
    case .timedOut(let reason), .failed(let reason): fail(reason)
    }
  }
}
