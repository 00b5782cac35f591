import { cucumber, plantFile } from "./sprinkle/plants.ts"
import { append, commitOn, type Step, text, write } from "./story.ts"

/** What Ivo does in his fork. */
export const greenhouseStory: readonly Step[] = [
  commitOn("greenhouse", "35 08:20", "ivo", "Add cucumbers", write("plants/cucumber.json", plantFile(cucumber))),
  commitOn(
    "greenhouse",
    "35 17:45",
    "ivo",
    "Leave the rain out under glass",
    write(
      "src/greenhouse.js",
      text`
        /** What the sky does is no help to a bed that has a roof. */
        export const forecastFor = (bed, forecast) => (bed.underGlass ? [] : forecast)
      `,
    ),
    append("docs/how-it-decides.md", "6. Beds under glass never get rain, whatever the forecast says.\n"),
  ),
]
