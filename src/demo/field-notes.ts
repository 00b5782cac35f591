import { append, commit, replace, type Step, text, write } from "./story.ts"

/** The history of the private repository. */
export const fieldNotesStory: readonly Step[] = [
  commit(
    "5 19:00",
    "mira",
    "Draw the beds",
    write(
      "beds.md",
      text`
        # What grows where

        | bed | this year | last year |
        |---|---|---|
        | south | tomatoes | beans |
        | north | lettuce, then kale | carrots |
        | fence | raspberries | raspberries |
      `,
    ),
  ),
  commit(
    "12 19:30",
    "lena",
    "Note the frost of the eleventh night",
    write(
      "diary.md",
      text`
        # Diary

        - Frost on the south bed although the forecast said 5 °C. Two tomatoes lost. This is why the warning adds a degree.
      `,
    ),
  ),
  commit(
    "18 20:10",
    "tomas",
    "A sensor drowned",
    append("diary.md", "- The sensor in the north bed drowned. Varnish on its edge from now on.\n"),
  ),
  commit(
    "27 19:15",
    "lena",
    "First harvest",
    write("harvest.csv", "day,bed,what,kilograms\n27,north,lettuce,1.4\n27,fence,raspberries,0.3\n"),
  ),
  commit(
    "34 19:40",
    "mira",
    "Plan the autumn",
    replace("beds.md", "| fence |", "| shed | pumpkins | nothing |\n| fence |"),
    append("harvest.csv", "34,south,tomatoes,2.1\n"),
  ),
]
