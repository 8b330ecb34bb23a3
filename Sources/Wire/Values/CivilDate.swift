/// A day of the proleptic Gregorian calendar; the arithmetic uses no time zone and no clock.
///
/// Each part has at most nine digits, so nothing overflows. An invalid day stays invalid.
struct CivilDate: Hashable {
  let year: Int
  /// The month, 1...12.
  let month: Int
  /// The day of the month, 1...31.
  let day: Int

  private static let partMax = 999_999_999

  init(year: Int, month: Int, day: Int) {
    func held(_ part: Int) -> Int { max(-Self.partMax, min(Self.partMax, part)) }
    (self.year, self.month, self.day) = (held(year), held(month), held(day))
  }

  /// Makes the date that lies `daysSince1970` days after 1970-01-01.
  ///
  /// Years begin in March here, so that the leap day is the last day of a year. 719,468 days lie between 0000-03-01 and
  /// 1970-01-01, and 146,097 days make 400 years.
  init(daysSince1970: Int) {
    // 365,242,500 days are a million years.
    let days = max(-365_242_500, min(365_242_500, daysSince1970)) + 719_468
    let era = (days >= 0 ? days : days - 146_096) / 146_097
    let dayOfEra = days - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let monthFromMarch = (5 * dayOfYear + 2) / 153
    day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
    month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
    year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  }

  var daysSince1970: Int {
    let year = month <= 2 ? self.year - 1 : self.year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  /// The day of the week; 0 is Sunday.
  var weekday: Int { (daysSince1970 % 7 + 11) % 7 }

  /// Whether the day exists.
  var isValid: Bool {
    (1...12).contains(month) && day >= 1 && CivilDate(daysSince1970: daysSince1970) == self
  }
}
