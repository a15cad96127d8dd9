/** How many backups each rule keeps; 0 turns the rule off. Without any rule all backups stay. */
export interface RetentionPolicy {
  last: number;
  /** The newest backup of each day with a backup, in local time. */
  daily: number;
  /** The same for weeks, which begin on Monday. */
  weekly: number;
  /** The same for months. */
  monthly: number;
}

/** Longer than the time between any two dates, in milliseconds. */
const FOR_EVER = 2 * 8.64e15;

export function hasRules(rules: RetentionPolicy): boolean {
  return Object.values(rules).some((count) => count > 0);
}

/**
 * Returns the backups that no rule keeps, oldest first. Days, weeks and months without a backup do not count, so a pause
 * removes nothing.
 * @param newest the backup just made, which always stays. One with a later time was made while the clock was wrong: it counts as
 * older than all others.
 */
export function expired<Backup extends { madeAt: Date }>(
  backups: readonly Backup[],
  newest: Backup,
  rules: RetentionPolicy,
): Backup[] {
  if (!hasRules(rules)) return [];
  const rank = ({ madeAt }: Backup) => madeAt.getTime() - (madeAt > newest.madeAt ? FOR_EVER : 0);
  const others = backups.filter((backup) => backup !== newest).sort((one, other) => rank(other) - rank(one));
  const newestFirst = [newest, ...others];
  const kept = new Set([
    newest,
    ...newestFirst.slice(0, rules.last),
    ...newestOfEach(newestFirst, (time) => time.toDateString(), rules.daily),
    ...newestOfEach(newestFirst, weekOf, rules.weekly),
    ...newestOfEach(newestFirst, monthOf, rules.monthly),
  ]);
  return others.filter((backup) => !kept.has(backup)).reverse();
}

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

/** Identifies a week by its Monday, because weeks continue across the end of a year. */
function weekOf(time: Date): string {
  const daysSinceMonday = (time.getDay() + 6) % 7;
  return new Date(time.getFullYear(), time.getMonth(), time.getDate() - daysSinceMonday).toDateString();
}

function monthOf(time: Date): string {
  return `${time.getFullYear()}-${time.getMonth()}`;
}
