import Foundation
import Server
import Timeshift
import Wire

// A station's samples, as a program gets them.
extension StationHandle {
  /// Decodes the station from a moment on, up to what is live and then as it comes.
  ///
  ///     for await block in try await jazz.pcm(from: .now - 60) { … }
  ///
  /// The past comes as fast as it is asked for. A program that asks too late misses what has left the window.
  ///
  /// - Parameters:
  ///   - from: nil: from now on.
  ///   - rate: Hz, from 8,000 to 192,000; nil: the station's.
  ///   - channels: 1 or 2; nil: the station's.
  /// - Throws: `RelayError.unknownStation`; `.badField` for a rate or number of channels that cannot be;
  ///   `.noTimeline` of a station that serves files; `.noSound`; `.tooManyTaps`; `.silentDisk`.
  public func pcm(
    from: Date? = nil, rate: Int? = nil, channels: Int? = nil
  ) async throws(RelayError) -> PCMBlocks {
    try await relay.samples(of: id, from: from, rate: rate, channels: channels)
  }
}

/// About a tenth of a second of a station's samples.
public struct PCMBlock: Sendable {
  /// Interleaved; full scale is 1.
  public var samples: [Float]
  public var sampleRate: Int
  public var channels: Int
}

/// Samples of a station one block after the other; the end is the station's. Iterate over it once.
public struct PCMBlocks: AsyncSequence, Sendable {
  public struct AsyncIterator: AsyncIteratorProtocol {
    let source: any SampleSource

    public mutating func next() async -> PCMBlock? {
      while !Task.isCancelled {
        guard let block = await source.next() else { return nil }
        if block.bytes.isEmpty {
          try? await Task.sleep(for: .milliseconds(20))
          continue
        }
        let samples = block.bytes.withUnsafeBytes { bytes in
          stride(from: 0, to: bytes.count - 3, by: 4).map { offset in
            Float(
              bitPattern: UInt32(
                littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
          }
        }
        return PCMBlock(
          samples: samples, sampleRate: source.format.sampleRate,
          channels: source.format.channels)
      }
      return nil
    }
  }

  let source: any SampleSource

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: source) }
}

extension Relay {
  fileprivate func samples(
    of id: String, from: Date?, rate: Int?, channels: Int?
  ) async throws(RelayError) -> PCMBlocks {
    if let rate, !SampleFormat.rates.contains(rate) {
      throw .badField("rate", "is \(rate); write a number of Hz from 8000 to 192000")
    }
    if let channels, !(1...2).contains(channels) {
      throw .badField("channels", "is \(channels); write 1 or 2")
    }
    guard let (log, delay) = try heardLog(of: id) else {
      throw .noTimeline(id)
    }
    let moment = from.map { WallTime($0) }
    let order = SampleOrder(
      station: id, log: log, delay: delay, sampleRate: rate, channels: channels, encoding: .f32le
    ) { reader in
      guard let moment else { return reader.edge }
      return reader.point(at: moment)
    }
    do throws(SampleRefusal) {
      return PCMBlocks(source: try await sampleMaker.tap(order))
    } catch {
      switch error {
      case .nothing, .nothingThere: throw .noSound(id, reason: nil)
      case .undecodable(let reason): throw .noSound(id, reason: reason)
      case .full, .fullBackwards: throw .tooManyTaps(SampleMaker.tapsMax)
      case .slowDisk: throw .silentDisk("the disk of station \"\(id)\" does not answer")
      }
    }
  }
}
