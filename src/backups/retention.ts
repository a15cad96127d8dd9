/** How many backups are kept; 0 turns a rule off. */
export interface RetentionPolicy {
  last: number;
  /** The newest one of each of so many days, weeks (from Monday on) and months, in local time. */
  daily: number;
  weekly: number;
  monthly: number;
}

/** Whether any backup may be removed at all. */
export function hasRules(rules: RetentionPolicy): boolean {
  return Object.values(rules).some((count) => count > 0);
}

/**
 * The backups that no rule keeps, oldest first. Days, weeks and months without a backup do not count, so
 * nothing is lost by a pause.
 * @param newest the one just made, which always stays, though a clock that was put back gives others later times.
 */
export function expired<Backup extends { madeAt: Date }>(
  backups: readonly Backup[],
  newest: Backup,
  rules: RetentionPolicy,
): Backup[] {
  if (!hasRules(rules)) return [];
  const others = backups
    .filter((backup) => backup !== newest)
    .sort((one, other) => other.madeAt.getTime() - one.madeAt.getTime());
  const newestFirst = [newest, ...others];
  const kept = new Set([
    newest,
    ...newestFirst.slice(0, rules.last),
    ...newestOfEach(newestFirst, dayOf, rules.daily),
    ...newestOfEach(newestFirst, weekOf, rules.weekly),
    ...newestOfEach(newestFirst, monthOf, rules.monthly),
  ]);
  return others.filter((backup) => !kept.has(backup)).reverse();
}

/** The newest backup of each of the last periods in which there is one. */
function newestOfEach<Backup extends { madeAt: Date }>(
  newestFirst: readonly Backup[],
  periodOf: (time: Date) => string,
  count: number,
): Backup[] {
  const newest = new Map<string, Backup>();
  for (const backup of newestFirst) {
    const period = periodOf(backup.madeAt);
    if (!newest.has(period)) newest.set(period, backup);
  }
  return [...newest.values()].slice(0, count);
}

function dayOf(time: Date): string {
  return time.toDateString();
}

/** ISO weeks, each known by its Monday: over the end of a year they go on. */
function weekOf(time: Date): string {
  const daysSinceMonday = (time.getDay() + 6) % 7;
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() - daysSinceMonday).toDateString();
}

function monthOf(time: Date): string {
  return `${time.getFullYear()}-${time.getMonth()}`;
}
