import Foundation
import TestSupport
import Timeshift
import Wire

/// What a station had on air: stretches of one file's frames, titles, and gaps, in the order of time.
struct PastProgramme {
  private enum Step {
    case play(Range<Int>)
    case title(Title)
    case gap(seconds: Double)
  }

  private let audio: LogPackets
  private var steps: [Step] = []

  /// - Parameters:
  ///   - audio: A file of MP3 or AAC frames that do not need each other: without a bit reservoir.
  ///   - lines: As `PastCommand` tells them.
  init(audio: [UInt8], lines: [Substring]) throws {
    guard let audio = LogPackets(frames: audio) else {
      throw BenchError("there are no frames in the audio")
    }
    self.audio = audio
    for (number, line) in lines.enumerated() where !line.isEmpty {
      guard let step = step(line) else {
        throw BenchError("line \(number + 1) of the programme: \"\(line)\"")
      }
      steps.append(step)
    }
  }

  private func step(_ line: Substring) -> Step? {
    let parts = line.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    let rest = parts[1]
    switch parts[0] {
    case "title":
      let words = rest.split(separator: "\t", maxSplits: 1).map(String.init)
      return .title(Title(text: words[0], url: words.count > 1 ? words[1] : ""))
    case "gap":
      guard let seconds = Double(rest), (0...86_400).contains(seconds) else { return nil }
      return .gap(seconds: seconds)
    case "play":
      let numbers = rest.split(separator: " ").map { Int($0) }
      guard numbers.count == 2, let first = numbers[0], let count = numbers[1],
        audio.packets.indices.contains(first),
        (1...audio.packets.count - first).contains(count)
      else { return nil }
      return .play(first..<first + count)
    default: return nil
    }
  }

  var seconds: Double {
    steps.reduce(0) { sum, step in
      switch step {
      case .title: sum
      case .gap(let seconds): sum + seconds
      case .play(let range):
        audio.packets[range].reduce(sum) {
          $0 + Double($1.samples) / Double(audio.format.sampleRate)
        }
      }
    }
  }

  func write(to directory: String) throws {
    var past = try PastWriter(seconds: seconds, to: directory)
    for step in steps {
      switch step {
      case .title(let title): past.mark(title)
      case .gap(let seconds): past.skip(seconds: seconds)
      case .play(let range):
        for frame in audio.packets[range] {
          past.append(frame.bytes.span, samples: frame.samples, format: audio.format)
        }
      }
    }
    past.close()
  }
}
