import Foundation
import Longwave
import TestSupport

/// What the relay's good company sees of an attack: somebody who listens to another station, and who asks how it is.
final class Witness {
  private let round: Round
  /// Longer than this nothing may be without an answer, however busy the machine is.
  private static let stopAfter = 5.0
  /// A player's buffer is the burst; what is sent in real time comes several times a second.
  private static let gapMax = 1.5

  /// Nothing of the past, in which the relay may have ended and begun again.
  private static let request = HostileRequest("GET", "/\(Setup.steady)?burst=0").bytes

  init(_ round: Round) { self.round = round }

  /// Asks how the relay is, over TCP and over the administration's socket.
  func probe() {
    while !round.isOver {
      for way in [Attack.Way.tcp, .unix] {
        let began = secondsNow()
        let answer = AttackedRelay.probe(way, round.addresses, within: Self.stopAfter)
        let took = answer ?? secondsNow() - began
        if answer == nil, !round.isOver {
          // Refused at once: its process has ended, which others see.
          if took < 1 {
            usleep(100_000)
          } else if MachineDelay.shared.own(took) > Round.answerMax {
            round.noteStop("/healthz is not answered by \(way.rawValue) within \(took.short) s")
          }
        } else {
          round.noteProbe(took, of: "/healthz by \(way.rawValue)")
        }
      }
      usleep(150_000)
    }
  }

  /// Listens, and looks at each packet.
  func listen() {
    while !round.isOver {
      guard let connection = try? Connection(.tcp, round.addresses, host: 0x010204) else {
        usleep(100_000)
        continue
      }
      let began = secondsNow()
      connection.send(Self.request, until: began + 5)
      guard let answer = connection.answer(until: began + 10), answer.status == 200 else {
        usleep(100_000)
        continue
      }
      round.noteProbe(secondsNow() - began, of: "a newcomer's answer")
      follow(connection)
    }
  }

  private func follow(_ connection: Connection) {
    var audio = Array(connection.bytes.suffix(from: AnswerReader.headLength(connection.bytes)))
    var last: UInt64?
    var heardAt = secondsNow()
    connection.forget()
    // A silence may outlast the round.
    defer { noteSilence(since: heardAt) }
    while !round.isOver {
      switch connection.receive(until: secondsNow() + 0.2) {
      case .ended: return
      case .late: break
      case .more:
        audio += connection.bytes
        connection.forget()
        noteSilence(since: heardAt)
        heardAt = secondsNow()
        if !check(&audio, &last) { return }
      }
    }
  }

  private func noteSilence(since heardAt: Double) {
    let gap = secondsNow() - heardAt
    guard MachineDelay.shared.own(gap) > Self.gapMax else { return }
    round.suspect(round.trail, "a listener of another station heard nothing for \(gap.short) s")
  }

  /// False: a packet is missing, or is no packet.
  private func check(_ audio: inout [UInt8], _ last: inout UInt64?) -> Bool {
    do {
      let numbers = try NumberedFrames.numbers(in: audio, mayEndInFrame: true)
      for number in numbers {
        if let last, number != last + 1 {
          round.suspect(round.trail, "a listener of another station lost \(last)..\(number)")
          return false
        }
        last = number
      }
      audio.removeFirst(numbers.reduce(0) { $0 + NumberedFrames.frame($1).count })
      round.noteHeard(numbers.count)
      return true
    } catch {
      round.suspect(
        round.trail, "a listener of another station got what it was not sent: \(error)")
      return false
    }
  }
}

extension AnswerReader {
  static func headLength(_ bytes: [UInt8]) -> Int {
    bytes.indices.first { bytes[$0...].starts(with: [13, 10, 13, 10]) }.map { $0 + 4 }
      ?? bytes.count
  }
}
