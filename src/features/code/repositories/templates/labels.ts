import type { LabelTemplate } from "../../../site/information/records.ts"

type Row = readonly [name: string, color: string, description: string, exclusive?: "exclusive"]

const SETS: Readonly<Record<string, readonly Row[]>> = {
  Advanced: [
    ["Compat/Breaking", "c62828", "Users have to change something"],
    ["Kind/Bug", "ee0701", "Something does not work as it should"],
    ["Kind/Documentation", "37474f", "About what is written for users and developers"],
    ["Kind/Enhancement", "84b6eb", "Makes better what is there"],
    ["Kind/Feature", "0288d1", "Something that is not there yet"],
    ["Kind/Security", "9c27b0", "Touches the safety of users or data"],
    ["Kind/Testing", "795548", "About tests"],
    ["Priority/Critical", "b71c1c", "Comes before everything else", "exclusive"],
    ["Priority/High", "d32f2f", "Comes next", "exclusive"],
    ["Priority/Low", "4caf50", "Can wait", "exclusive"],
    ["Priority/Medium", "e64a19", "Comes in its turn", "exclusive"],
    ["Reviewed/Confirmed", "795548", "Somebody else has seen it too", "exclusive"],
    ["Reviewed/Duplicate", "616161", "Is told elsewhere already", "exclusive"],
    ["Reviewed/Invalid", "546e7a", "Is not what it seemed", "exclusive"],
    ["Reviewed/Won't Fix", "eeeeee", "Stays as it is", "exclusive"],
    ["Status/Abandoned", "222222", "Nobody works on it any more", "exclusive"],
    ["Status/Blocked", "880e4f", "Waits for something else", "exclusive"],
    ["Status/Need More Info", "424242", "Cannot be judged without more details", "exclusive"],
  ],
  Default: [
    ["bug", "ee0701", "Something is not working"],
    ["duplicate", "cccccc", "This issue or pull request already exists"],
    ["enhancement", "84b6eb", "New feature"],
    ["help wanted", "128a0c", "Need some help"],
    ["invalid", "e6e6e6", "Something is wrong"],
    ["question", "cc317c", "More information is needed"],
    ["wontfix", "ffffff", "This won't be fixed"],
  ],
}

export const labelSetNames: readonly string[] = Object.keys(SETS)

/** The labels of a set, by name; undefined for a set that there is none of. */
export function labelSet(name: string): LabelTemplate[] | undefined {
  if (!Object.hasOwn(SETS, name)) return undefined
  return (SETS[name] ?? []).map(([label, color, description, exclusive]) => ({
    name: label,
    color,
    description,
    exclusive: exclusive !== undefined,
  }))
}
