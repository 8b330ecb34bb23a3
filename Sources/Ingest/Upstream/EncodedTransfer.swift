import Audio
import Reactor
import Timeshift
import Wire

/// The samples that a program writes, as the MP3 that is made of them.
///
/// Encoding runs on the ingest loop: a stereo station takes 0.7 % of a core, in steps of a millisecond.
final class EncodedTransfer: BodyTransfer, TransferOwner {
  private let encoder: PCMEncoder
  private weak var owner: (any TransferOwner)?
  /// Nil once it is over.
  private var program: ProgramTransfer?

  init(
    _ call: ProgramCall, _ encoding: PCMEncoding, machinery: IngestMachinery,
    owner: any TransferOwner, onStep: ((TransferStep) -> Void)?
  ) {
    encoder = PCMEncoder(encoding)
    self.owner = owner
    program = ProgramTransfer(call, machinery: machinery, owner: self, onStep: onStep)
  }

  deinit { cancel() }

  var url: String? { program?.url }
  var scope: AddressScope { .world }
  var roundTrip: Double { 0 }
  var isPaused: Bool { program?.isPaused ?? false }
  func pause() { program?.pause() }
  func resume() { program?.resume() }

  func cancel() {
    program?.cancel()
    program = nil
  }

  // MARK: From the program

  func transfer(_ transfer: any BodyTransfer, answered status: Int, fields: [TransferField]) {
    owner?.transfer(self, answered: status, fields: fields)
  }

  func transfer(_ transfer: any BodyTransfer, delivered piece: Span<UInt8>) {
    do throws(AudioError) {
      let bytes = try encoder.encode(piece)
      if !bytes.isEmpty { owner?.transfer(self, delivered: bytes.span) }
    } catch {
      cancel()
      owner?.transfer(
        self, ended: .failed(reason: "the samples cannot be encoded: \(error.reason)"))
    }
  }

  func transfer(_ transfer: any BodyTransfer, ended end: TransferEnd) {
    let rest = encoder.finish()
    if !rest.isEmpty { owner?.transfer(self, delivered: rest.span) }
    // What it was delivered may have made the owner cancel.
    guard program != nil else { return }
    program = nil
    owner?.transfer(self, ended: end)
  }
}
