import { append, commit, commitOn, merge, replace, type Step, tag, text, write } from "../story.ts"
import { kale, lettuce, plantFile, raspberry, rosemary, strawberry } from "./plants.ts"

const coldest = (plant: string, roots: number, degrees: number) =>
  replace(`plants/${plant}.json`, `"roots": ${roots}\n`, `"roots": ${roots},\n  "coldest": ${degrees}\n`)

/** The frost warning, a tidy-up, and version 0.2.0. */
export const frost: readonly Step[] = [
  commitOn(
    "frost-warning",
    "9 09:10",
    "tomas",
    "Know which plants a night is too cold for",
    write(
      "src/frost.js",
      text`
        /** The beds to cover tonight: those whose plants don't survive the night's lowest temperature. */
        export function bedsToCover(beds, night) {
          return beds.filter(({ plant }) => plant.coldest !== undefined && night.low <= plant.coldest)
        }
      `,
    ),
  ),
  commitOn(
    "frost-warning",
    "9 10:00",
    "tomas",
    "Give plants a lowest temperature",
    coldest("tomato", 40, 4),
    coldest("bean", 30, 2),
    coldest("courgette", 35, 3),
    coldest("basil", 15, 8),
  ),
  commitOn(
    "frost-warning",
    "9 14:30",
    "tomas",
    "Test the frost warning",
    write(
      "test/frost.test.js",
      text`
        import assert from "node:assert/strict"
        import { test } from "node:test"
        import { bedsToCover } from "../src/frost.js"

        const south = { name: "south", plant: { coldest: 4 } }
        const north = { name: "north", plant: {} }

        test("what can't stand the night is covered", () => {
          assert.deepEqual(bedsToCover([south, north], { low: 2 }), [south])
        })

        test("what doesn't mind is left alone", () => {
          assert.deepEqual(bedsToCover([south, north], { low: 9 }), [])
        })
      `,
    ),
  ),
  commit(
    "10 08:15",
    "noor",
    "Tell which sensors we tried",
    write(
      "docs/sensors.md",
      text`
        # Sensors

        Sprinkle reads lines of time, bed and per cent, from wherever they come. We tried:

        | kind | lasts | remarks |
        |---|---|---|
        | resistive | one summer | cheap, and gone by autumn: the current eats the metal |
        | capacitive | three summers so far | seal the edge of the board with varnish |
      `,
    ),
  ),
  commit("10 15:00", "noor", "Add raspberries", write("plants/raspberry.json", plantFile(raspberry))),
  commitOn(
    "frost-warning",
    "11 09:20",
    "tomas",
    "Print what to cover tonight",
    replace("src/cli.js", "import { latestReadings }", 'import { bedsToCover } from "./frost.js"\nimport { latestReadings }'),
    replace(
      "src/cli.js",
      'const beds = JSON.parse(readFileSync("beds.json", "utf8"))\n',
      ['const beds = JSON.parse(readFileSync("beds.json", "utf8")).map((bed) => ({ ...bed, plant: findPlant(bed.plant) }))', ""].join("\n"),
    ),
    replace("src/cli.js", "plant: findPlant(bed.plant), percent, area: bed.area }", "plant: bed.plant, percent, area: bed.area }"),
    append("src/cli.js", '\nfor (const bed of bedsToCover(beds, forecast[0])) console.log(bed.name + ": cover it tonight")\n'),
  ),
  commit(
    "11 11:45",
    "noor",
    "Say how to calibrate a sensor",
    append(
      "docs/sensors.md",
      text`

        ## Calibrating

        Write down what the sensor says in the air (0 %) and in a glass of water (100 %). Half an hour of patience for each is enough.
      `,
    ),
  ),
  commitOn(
    "frost-warning",
    "12 08:40",
    "mira",
    "Warn from one degree above\n\nThermometers hang higher than beds, and it is colder down there.",
    replace(
      "src/frost.js",
      "/** The beds to cover",
      "/** Degrees by which it is colder on the ground than where forecasts measure. */\nconst GROUND = 1\n\n/** The beds to cover",
    ),
    replace("src/frost.js", "night.low <= plant.coldest", "night.low - GROUND <= plant.coldest"),
    append(
      "test/frost.test.js",
      text`

        test("the ground is colder than the forecast", () => {
          assert.deepEqual(bedsToCover([south], { low: 5 }), [south])
        })
      `,
    ),
  ),
  merge("frost-warning", "13 09:05", "mira"),
  commit(
    "13 09:40",
    "mira",
    "Note the frost warning in the changelog",
    replace("CHANGELOG.md", "## 0.1.0\n", "## 0.2.0\n\n- Says which beds to cover before a cold night\n\n## 0.1.0\n"),
  ),
  commit("14 08:10", "noor", "Add strawberries", write("plants/strawberry.json", plantFile(strawberry))),
  commit("14 08:20", "noor", "Add rosemary", write("plants/rosemary.json", plantFile(rosemary))),
  commit(
    "14 10:30",
    "noor",
    "Say which plant isn't known",
    replace(
      "src/plants.js",
      '  const plant = JSON.parse(readFileSync(new URL(name + ".json", FOLDER), "utf8"))\n',
      [
        '  const file = new URL(name + ".json", FOLDER)',
        '  if (!existsSync(file)) throw new Error("There is no plant " + name + ". Describe it in plants/" + name + ".json.")',
        '  const plant = JSON.parse(readFileSync(file, "utf8"))',
        "",
      ].join("\n"),
    ),
    replace("src/plants.js", "import { readFileSync }", "import { existsSync, readFileSync }"),
  ),
  commit(
    "15 13:00",
    "tomas",
    "Read everything from the folder that is given",
    replace(
      "src/cli.js",
      "const beds = ",
      'const [folder = "."] = process.argv.slice(2)\nconst read = (name) => readFileSync(join(folder, name), "utf8")\n\nconst beds = ',
    ),
    replace(
      "src/cli.js",
      'import { readFileSync } from "node:fs"\n',
      'import { readFileSync } from "node:fs"\nimport { join } from "node:path"\n',
    ),
    replace("src/cli.js", 'readFileSync("beds.json", "utf8")', 'read("beds.json")'),
    replace("src/cli.js", 'readFileSync("readings.csv", "utf8")', 'read("readings.csv")'),
    replace("src/cli.js", 'readFileSync("forecast.json", "utf8")', 'read("forecast.json")'),
    replace("README.md", "    cd example\n    node ../src/cli.js\n", "    node src/cli.js example\n"),
  ),
  commit(
    "15 13:40",
    "tomas",
    "Explain the files that Sprinkle reads",
    append(
      "README.md",
      text`

        ## What it reads

        | file | holds |
        |---|---|
        | beds.json | your beds: name, plant, area in square metres |
        | readings.csv | what the sensors said: time, bed, per cent |
        | forecast.json | the coming days: rain in mm, its chance, lowest and highest temperature |

        Plants are described in the folder plants of this repository. Yours is missing? Send us its file.
      `,
    ),
  ),
  commit(
    "16 09:25",
    "mira",
    "Don't trust readings that are older than two days",
    append(
      "src/moisture.js",
      text`

        /** Whether a reading still says something: after two days without a word the sensor is taken to be broken. */
        export function isFresh(reading, now) {
          return reading !== undefined && now - Date.parse(reading.time) < 2 * 24 * 60 * 60 * 1000
        }
      `,
    ),
    replace("test/moisture.test.js", "import { latestReadings }", "import { isFresh, latestReadings }"),
    append(
      "test/moisture.test.js",
      text`

        test("a sensor that fell silent is not believed", () => {
          const now = Date.parse("2031-05-04T07:00")
          assert.equal(isFresh({ time: "2031-05-03T06:00" }, now), true)
          assert.equal(isFresh({ time: "2031-05-01T06:00" }, now), false)
          assert.equal(isFresh(undefined, now), false)
        })
      `,
    ),
  ),
  commit(
    "16 11:00",
    "mira",
    "Say so when a bed has no fresh reading",
    replace("src/cli.js", "import { latestReadings }", "import { isFresh, latestReadings }"),
    replace(
      "src/cli.js",
      "  const { percent } = readings.get(bed.name)\n",
      [
        "  const reading = readings.get(bed.name)",
        "  if (!isFresh(reading, Date.now())) {",
        '    console.log(bed.name + ": no reading for two days, look after its sensor")',
        "    continue",
        "  }",
        "",
      ].join("\n"),
    ),
    replace("src/cli.js", "percent, area: bed.area }", "percent: reading.percent, area: bed.area }"),
  ),
  commit(
    "17 17:20",
    "lena",
    "Correct the target of lettuce\n\nAt 80 % mine rotted. At 72 % it doesn't.",
    write("plants/lettuce.json", plantFile({ ...lettuce, target: 72 })),
  ),
  commit("19 18:05", "lena", "Add kale", write("plants/kale.json", plantFile(kale))),
  commit(
    "20 08:10",
    "mira",
    "Version 0.2.0",
    replace("package.json", '"version": "0.1.0"', '"version": "0.2.0"'),
    replace(
      "CHANGELOG.md",
      "before a cold night\n",
      "before a cold night\n- Notices sensors that fell silent\n- Reads its files from any folder\n",
    ),
  ),
  tag("v0.2.0", "20 08:20", "mira", "Sprinkle 0.2.0: no more frozen beans"),
]
