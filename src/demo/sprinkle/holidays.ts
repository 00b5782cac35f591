import { append, commit, commitOn, merge, replace, type Step, text, write } from "../story.ts"
import { chilli, plantFile, pumpkin, rosemary } from "./plants.ts"

/** The letter to the neighbour, and what is under way. */
export const holidays: readonly Step[] = [
  commitOn(
    "holiday-letter",
    "22 09:15",
    "noor",
    "Plan for several days at once",
    write(
      "src/holiday.js",
      text`
        /** Per cent that a bed loses on a dry day. */
        const LOSES = 6

        /** The days, from 1, on which a bed needs water while nobody is at home. */
        export function thirstyDays({ plant, percent }, days) {
          const thirsty = []
          let moisture = percent
          for (let day = 1; day <= days; day++) {
            moisture -= LOSES
            if (plant.target - moisture <= plant.slack) continue
            thirsty.push(day)
            moisture = plant.target
          }
          return thirsty
        }
      `,
    ),
  ),
  commitOn(
    "holiday-letter",
    "22 11:05",
    "noor",
    "Test the holiday plan",
    write(
      "test/holiday.test.js",
      text`
        import assert from "node:assert/strict"
        import { test } from "node:test"
        import { thirstyDays } from "../src/holiday.js"

        test("a bed is watered when it has used up its slack, and not before", () => {
          const plant = { target: 70, slack: 10 }
          assert.deepEqual(thirstyDays({ plant, percent: 70 }, 7), [2, 4, 6])
        })
      `,
    ),
  ),
  commit(
    "23 08:30",
    "tomas",
    "Say which Node.js is old enough",
    replace("package.json", '  "bin":', '  "engines": { "node": ">=20" },\n  "bin":'),
  ),
  commit("23 18:30", "lena", "Add pumpkins", write("plants/pumpkin.json", plantFile(pumpkin))),
  commitOn(
    "holiday-letter",
    "24 10:20",
    "noor",
    "Write a letter to the neighbour",
    write(
      "src/letter.js",
      text`
        import { thirstyDays } from "./holiday.js"

        /** What to ask of whoever waters while we are away, as lines of text. */
        export function letter(beds, days) {
          const lines = ["Dear neighbour,", "", "thank you for looking after our garden. Please water:", ""]
          for (const bed of beds) {
            const thirsty = thirstyDays(bed, days)
            if (thirsty.length > 0) lines.push("  " + bed.name + " on day " + thirsty.join(", "))
          }
          return [...lines, "", "Take as many tomatoes as you like."]
        }
      `,
    ),
  ),
  commitOn(
    "holiday-letter",
    "25 09:00",
    "noor",
    "Test the letter",
    write(
      "test/letter.test.js",
      text`
        import assert from "node:assert/strict"
        import { test } from "node:test"
        import { letter } from "../src/letter.js"

        test("only thirsty beds are named", () => {
          const dry = { name: "south", plant: { target: 70, slack: 10 }, percent: 62 }
          const wet = { name: "north", plant: { target: 40, slack: 30 }, percent: 90 }
          const lines = letter([dry, wet], 3)
          assert.ok(lines.includes("  south on day 1, 3"))
          assert.ok(!lines.some((line) => line.includes("north")))
        })
      `,
    ),
  ),
  merge("holiday-letter", "26 08:50", "mira"),
  commit(
    "26 09:30",
    "mira",
    "Offer the letter on the command line",
    replace("src/cli.js", "import { isFresh", 'import { letter } from "./letter.js"\nimport { isFresh'),
    replace("src/cli.js", 'const [folder = "."]', 'const [folder = ".", away]'),
    replace(
      "src/cli.js",
      "\nfor (const bed of beds) {",
      [
        "",
        "if (away) {",
        "  const known = beds.filter((bed) => readings.has(bed.name)).map((bed) => ({ ...bed, percent: readings.get(bed.name).percent }))",
        '  console.log(letter(known, Number(away)).join("\\n"))',
        "  process.exit()",
        "}",
        "",
        "for (const bed of beds) {",
      ].join("\n"),
    ),
  ),
  commit(
    "27 13:10",
    "tomas",
    "Explain the letter to the neighbour",
    append(
      "README.md",
      text`

        ## Away for a week?

            node src/cli.js example 7

        prints a letter to the neighbour: which bed needs water on which day.
      `,
    ),
  ),
  commit(
    "28 18:15",
    "lena",
    "Lower the target of rosemary once more\n\nIt wants to be forgotten.",
    write("plants/rosemary.json", plantFile({ ...rosemary, target: 35 })),
  ),
  commit(
    "29 08:40",
    "tomas",
    "Know when to water",
    append(
      "src/forecast.js",
      text`

        /** On hot days water given in the morning is gone by noon. */
        export const isHot = (day) => day.high >= 28
      `,
    ),
    append(
      "test/forecast.test.js",
      text`

        test("twenty-eight degrees are hot", () => {
          assert.equal(isHot({ high: 28 }), true)
          assert.equal(isHot({ high: 27.5 }), false)
        })
      `,
    ),
    replace("test/forecast.test.js", "import { likelyRain }", "import { isHot, likelyRain }"),
  ),
  commit(
    "29 10:15",
    "tomas",
    "Wait until the evening when it is hot",
    replace("src/cli.js", "import { bedsToCover }", 'import { isHot } from "./forecast.js"\nimport { bedsToCover }'),
    replace("src/cli.js", 'litres + " l"', 'litres + " l" + (isHot(forecast[0]) ? " in the evening" : "")'),
  ),
  commit(
    "30 08:20",
    "mira",
    "Write down when to water",
    append("docs/how-it-decides.md", "5. From 28 °C on, the evening is the better time.\n"),
  ),
  commit(
    "31 09:50",
    "noor",
    "Bring the changelog up to date",
    replace(
      "CHANGELOG.md",
      "## 0.2.0\n",
      "## Not released yet\n\n- Writes a letter to the neighbour\n- Waits until the evening when it is hot\n- Pumpkins, and better numbers for rosemary\n\n## 0.2.0\n",
    ),
  ),
  commitOn(
    "csv-export",
    "32 09:30",
    "tomas",
    "Keep what was watered",
    write(
      "src/log.js",
      text`
        import { appendFileSync } from "node:fs"

        /** Adds a line to the log: day, bed, litres. */
        export function keep(file, bed, litres, now = new Date()) {
          appendFileSync(file, [now.toISOString().slice(0, 10), bed.name, litres].join(",") + "\\n")
        }
      `,
    ),
  ),
  commitOn(
    "csv-export",
    "33 14:00",
    "tomas",
    "Don't break on beds with a comma in their name",
    replace("src/log.js", "bed.name, litres]", "JSON.stringify(bed.name), litres]"),
  ),
  commit(
    "33 16:30",
    "mira",
    "Thank those who tried it",
    append(
      "README.md",
      text`

        ## Thanks

        To Ivo, whose greenhouse has found more mistakes than our tests.
      `,
    ),
  ),
  commitOn("balcony", "34 18:40", "lena", "Add chillies, for balconies", write("plants/chilli.json", plantFile(chilli))),
]
