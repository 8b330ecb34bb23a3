import Audio
import Synchronization
import TestSupport

/// Sound that a test makes up, as the frames of `LameFrames`, without end: each second is encoded when it is first asked
/// for, so the programme goes on however long a busy machine takes.
final class LameProgramme: Sendable {
  /// The left and the right sample at an index.
  typealias Sound = @Sendable (Int) -> (left: Int16, right: Int16)

  private struct Making {
    let encoder: LameEncoder
    var seconds = 0
    var frames: [[UInt8]] = []
    /// Encoded, and not yet a whole frame.
    var rest: [UInt8] = []
    /// Which frame has these bytes; nil for those of several.
    var numbers: [[UInt8]: Int?] = [:]

    mutating func makeSecond(of sound: Sound) {
      let first = seconds * LameFrames.rate
      rest += try! encoder.encode(
        (first..<first + LameFrames.rate).flatMap {
          let (left, right) = sound($0)
          return [left, right]
        })
      seconds += 1
      while rest.count >= LameFrames.bytes {
        let frame = Array(rest.prefix(LameFrames.bytes))
        rest.removeFirst(LameFrames.bytes)
        numbers.updateValue(numbers[frame] == nil ? frames.count : nil, forKey: frame)
        frames.append(frame)
      }
    }
  }

  private let sound: Sound
  private let making: Mutex<Making>

  init(_ sound: @escaping Sound) {
    self.sound = sound
    making = Mutex(
      Making(encoder: try! LameEncoder(sampleRate: LameFrames.rate, channels: 2, bitrate: 128)))
  }

  /// The same, with so many seconds of it made: a connection's thread makes the rest as time goes by.
  func prepared(seconds: Int) async throws -> LameProgramme {
    try await offPool { [self] in _ = self[seconds * LameFrames.rate / 1152] }
    return self
  }

  subscript(number: Int) -> [UInt8] {
    making.withLock { making in
      while making.frames.count <= number { making.makeSecond(of: sound) }
      return making.frames[number]
    }
  }

  /// Which frame this is, of those that were asked for so far; nil where several are the same.
  func number(of frame: [UInt8]) -> Int? {
    making.withLock { $0.numbers[frame] ?? nil }
  }
}
