import { append, commit, commitOn, merge, replace, type Step, tag, text, write } from "../story.ts"
import { basil, bean, carrot, courgette, lettuce, plantFile, tomato } from "./plants.ts"

/** From the first word to version 0.1.0. */
export const beginning: readonly Step[] = [
  commit(
    "0 09:40",
    "mira",
    "Say what Sprinkle is for",
    write(
      "README.md",
      text`
        # Sprinkle

        Decides each morning which garden beds need water, and how much.

        Sprinkle reads what your moisture sensors say, knows what your plants need, and prints one line for each bed.
        It opens no valve by itself: you, or a program of yours, does what it says.
      `,
    ),
  ),
  commit(
    "0 10:25",
    "mira",
    "Lay out the package",
    write(
      "package.json",
      text`
        {
          "name": "sprinkle",
          "version": "0.0.0",
          "description": "Decides which garden beds need water",
          "license": "MIT",
          "type": "module",
          "bin": { "sprinkle": "src/cli.js" },
          "scripts": { "test": "node --test" }
        }
      `,
    ),
  ),
  commit(
    "0 11:50",
    "mira",
    "Read the latest moisture of each bed",
    write(
      "src/moisture.js",
      text`
        /** The latest reading of each bed, in per cent of what its soil can hold. Lines are "time,bed,percent". */
        export function latestReadings(lines) {
          const latest = new Map()
          for (const line of lines) {
            const [time, bed, percent] = line.split(",")
            const before = latest.get(bed)
            if (!before || before.time < time) latest.set(bed, { time, percent: Number(percent) })
          }
          return latest
        }
      `,
    ),
  ),
  commit(
    "0 14:05",
    "mira",
    "Test the readings",
    write(
      "test/moisture.test.js",
      text`
        import assert from "node:assert/strict"
        import { test } from "node:test"
        import { latestReadings } from "../src/moisture.js"

        test("the later reading counts, whatever the order", () => {
          const latest = latestReadings(["2031-05-02T06:00,south,41", "2031-05-01T06:00,south,63", "2031-05-01T06:00,north,70"])
          assert.equal(latest.get("south").percent, 41)
          assert.equal(latest.get("north").percent, 70)
        })
      `,
    ),
  ),
  commit(
    "1 08:30",
    "tomas",
    "Describe plants by what they need",
    write(
      "src/plants.js",
      text`
        import { readFileSync } from "node:fs"

        const FOLDER = new URL("../plants/", import.meta.url)

        /** What is known of a plant: its moisture, how much of that may be missing, and how deep it roots. */
        export function findPlant(name) {
          return JSON.parse(readFileSync(new URL(name + ".json", FOLDER), "utf8"))
        }
      `,
    ),
    write("plants/tomato.json", plantFile(tomato)),
  ),
  commit("1 09:10", "tomas", "Add beans", write("plants/bean.json", plantFile(bean))),
  commit("1 09:15", "tomas", "Add lettuce", write("plants/lettuce.json", plantFile(lettuce))),
  commit(
    "1 13:00",
    "tomas",
    "Refuse a plant without a target\n\nA missing number made every bed look wet enough, and nobody was told.",
    replace(
      "src/plants.js",
      '  return JSON.parse(readFileSync(new URL(name + ".json", FOLDER), "utf8"))\n',
      [
        '  const plant = JSON.parse(readFileSync(new URL(name + ".json", FOLDER), "utf8"))',
        '  for (const member of ["target", "slack", "roots"])',
        '    if (typeof plant[member] !== "number") throw new Error("The plant " + name + " says no " + member + ".")',
        "  return plant",
        "",
      ].join("\n"),
    ),
  ),
  commit(
    "2 07:55",
    "mira",
    "Decide how much water a bed should get",
    write(
      "src/plan.js",
      text`
        /** Millimetres of water that ten centimetres of soil can hold. */
        const HOLDS = 16

        /** Litres that a bed should get today; 0 where it can wait. One millimetre on a square metre is one litre. */
        export function waterFor({ plant, percent, area }) {
          const missing = plant.target - percent
          if (missing <= plant.slack) return 0
          const millimetres = (missing / 100) * HOLDS * (plant.roots / 10)
          return millimetres * area
        }
      `,
    ),
  ),
  commit(
    "2 09:30",
    "mira",
    "Test the plan on a dry and on a wet bed",
    write(
      "test/plan.test.js",
      text`
        import assert from "node:assert/strict"
        import { test } from "node:test"
        import { waterFor } from "../src/plan.js"

        const plant = { target: 70, slack: 10, roots: 50 }

        test("a dry bed gets what it lacks", () => {
          assert.equal(waterFor({ plant, percent: 45, area: 2 }), 40)
        })

        test("a bed that lacks little can wait", () => {
          assert.equal(waterFor({ plant, percent: 60, area: 2 }), 0)
        })
      `,
    ),
  ),
  commit(
    "2 15:20",
    "noor",
    "Skip empty lines in readings\n\nEvery file ends with one, and it became a bed without a name.",
    replace(
      "src/moisture.js",
      '    const [time, bed, percent] = line.split(",")\n',
      '    const [time, bed, percent] = line.trim().split(",")\n    if (!bed || !percent) continue\n',
    ),
    append(
      "test/moisture.test.js",
      text`

        test("empty and cut lines count for nothing", () => {
          assert.equal(latestReadings(["", "2031-05-01T06:00,south,", "  "]).size, 0)
        })
      `,
    ),
  ),
  commit(
    "3 08:45",
    "mira",
    "Print the plan for today",
    write(
      "src/cli.js",
      text`
        #!/usr/bin/env node
        import { readFileSync } from "node:fs"
        import { latestReadings } from "./moisture.js"
        import { waterFor } from "./plan.js"
        import { findPlant } from "./plants.js"

        const beds = JSON.parse(readFileSync("beds.json", "utf8"))
        const readings = latestReadings(readFileSync("readings.csv", "utf8").split("\\n"))

        for (const bed of beds) {
          const { percent } = readings.get(bed.name)
          const litres = waterFor({ plant: findPlant(bed.plant), percent, area: bed.area })
          console.log(bed.name + ": " + (litres === 0 ? "can wait" : litres + " l"))
        }
      `,
    ),
    write(
      "example/beds.json",
      text`
        [
          { "name": "south", "plant": "tomato", "area": 3 },
          { "name": "north", "plant": "lettuce", "area": 2 }
        ]
      `,
    ),
    write("example/readings.csv", "2031-05-01T06:00,south,44\n2031-05-01T06:00,north,78\n"),
  ),
  commit(
    "3 10:15",
    "noor",
    "Explain how to run it",
    append(
      "README.md",
      text`

        ## Try it

            cd example
            node ../src/cli.js
      `,
    ),
  ),
  commit("3 16:40", "tomas", "Add courgettes", write("plants/courgette.json", plantFile(courgette))),
  commit("3 16:48", "tomas", "Add basil", write("plants/basil.json", plantFile(basil))),

  commitOn(
    "rain-chance",
    "4 09:00",
    "noor",
    "Add up the rain that is forecast",
    write(
      "src/forecast.js",
      text`
        /** Millimetres of rain within the next days. A forecast is a list of days: { rain, chance, low, high }. */
        export function likelyRain(forecast, days) {
          return forecast.slice(0, days).reduce((sum, day) => sum + day.rain, 0)
        }
      `,
    ),
  ),
  commitOn(
    "rain-chance",
    "4 11:30",
    "noor",
    "Count rain by how likely it is",
    replace("src/forecast.js", "sum + day.rain,", "sum + day.rain * day.chance,"),
    replace("src/forecast.js", "Millimetres of rain within", "Millimetres of rain that are likely within"),
  ),
  commit(
    "4 12:10",
    "mira",
    "Write down how it decides",
    write(
      "docs/how-it-decides.md",
      text`
        # How Sprinkle decides

        1. Each plant has a **target**: the moisture it likes best, in per cent of what the soil can hold.
        2. As long as the soil lacks no more than the plant's **slack**, nothing happens.
        3. Otherwise the bed gets what it lacks, down to the depth of the roots.
      `,
    ),
  ),
  commitOn(
    "rain-chance",
    "5 08:20",
    "noor",
    "Test the forecast",
    write(
      "test/forecast.test.js",
      text`
        import assert from "node:assert/strict"
        import { test } from "node:test"
        import { likelyRain } from "../src/forecast.js"

        test("unlikely rain counts for little", () => {
          const forecast = [
            { rain: 10, chance: 0.5 },
            { rain: 20, chance: 0.1 },
            { rain: 50, chance: 1 },
          ]
          assert.equal(likelyRain(forecast, 2), 7)
        })
      `,
    ),
  ),
  commitOn(
    "rain-chance",
    "5 10:40",
    "noor",
    "Water less when rain is likely",
    replace("src/plan.js", "/** Millimetres of water", 'import { likelyRain } from "./forecast.js"\n\n/** Millimetres of water'),
    replace("src/plan.js", "waterFor({ plant, percent, area })", "waterFor({ plant, percent, area }, forecast = [])"),
    replace("src/plan.js", "  return millimetres * area\n", "  return Math.max(0, millimetres - likelyRain(forecast, 2)) * area\n"),
    append(
      "test/plan.test.js",
      text`

        test("rain of today and tomorrow is left to the sky", () => {
          assert.equal(waterFor({ plant, percent: 45, area: 2 }, [{ rain: 15, chance: 1 }]), 10)
          assert.equal(waterFor({ plant, percent: 45, area: 2 }, [{ rain: 90, chance: 1 }]), 0)
        })
      `,
    ),
  ),
  merge("rain-chance", "6 09:00", "mira"),
  commit(
    "6 09:35",
    "tomas",
    "Round to whole litres: nobody has a can with decimals",
    replace(
      "src/plan.js",
      "return Math.max(0, millimetres - likelyRain(forecast, 2)) * area",
      "return Math.round(Math.max(0, millimetres - likelyRain(forecast, 2)) * area)",
    ),
  ),
  commit("6 13:15", "tomas", "Add carrots", write("plants/carrot.json", plantFile(carrot))),
  commit(
    "7 08:50",
    "mira",
    "Read the forecast on the command line",
    replace(
      "src/cli.js",
      "\nfor (const bed of beds) {",
      '\nconst forecast = JSON.parse(readFileSync("forecast.json", "utf8"))\n\nfor (const bed of beds) {',
    ),
    replace("src/cli.js", "\n\nconst forecast", "\nconst forecast"),
    replace("src/cli.js", "percent, area: bed.area })", "percent, area: bed.area }, forecast)"),
    write(
      "example/forecast.json",
      text`
        [
          { "rain": 4, "chance": 0.5, "low": 1.5, "high": 19 },
          { "rain": 0, "chance": 0, "low": 6, "high": 24 }
        ]
      `,
    ),
  ),
  commit(
    "7 10:05",
    "noor",
    "Write down how the forecast counts",
    append("docs/how-it-decides.md", "4. Rain of today and tomorrow is taken off, by how likely it is: 10 mm at 30 % are 3 mm.\n"),
  ),
  commit(
    "8 08:00",
    "mira",
    "Begin the changelog",
    write(
      "CHANGELOG.md",
      text`
        # Changes

        ## 0.1.0

        - Decides from moisture, plants and likely rain
        - Six plants
      `,
    ),
  ),
  commit("8 08:30", "mira", "Version 0.1.0", replace("package.json", '"version": "0.0.0"', '"version": "0.1.0"')),
  tag("v0.1.0", "8 08:35", "mira", "Sprinkle 0.1.0: the first that waters something"),
]
