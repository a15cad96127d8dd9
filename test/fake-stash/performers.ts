/** The fifteen documented attributes, which a scraper returns as text or null. */
export interface Performer {
  name: string;
  url: string | null;
  twitter: string | null;
  instagram: string | null;
  birthdate: string | null;
  ethnicity: string | null;
  country: string | null;
  eye_color: string | null;
  height: string | null;
  measurements: string | null;
  fake_tits: string | null;
  career_length: string | null;
  tattoos: string | null;
  piercings: string | null;
  aliases: string | null;
  /** Attributes of later releases. */
  gender?: string;
  disambiguation?: string;
  hair_color?: string;
  weight?: string;
  death_date?: string;
  details?: string;
  penis_length?: string;
  circumcised?: string;
  remote_site_id?: string;
  images?: readonly string[];
  /** All addresses on the page. Since v0.27, a scraper that reads them gives neither `twitter` nor `instagram`. */
  urls?: readonly string[];
}

const UNKNOWN = {
  twitter: null,
  instagram: null,
  birthdate: null,
  ethnicity: null,
  country: null,
  eye_color: null,
  height: null,
  measurements: null,
  fake_tits: null,
  career_length: null,
  tattoos: null,
  piercings: null,
  aliases: null,
};

// The smallest PNG; scrapers return pictures as data URLs.
const PICTURE =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Invented people on an imaginary site. */
export const PERFORMERS: readonly Performer[] = [
  // A search for the first name finds two, because the second contains it.
  known('Robin Vale', {
    twitter: 'https://twitter.example/robinvale',
    instagram: 'https://instagram.example/robinvale',
    birthdate: '1990-04-12',
    ethnicity: 'Caucasian',
    country: 'CA',
    eye_color: 'Green',
    height: '172',
    measurements: '90-65-92',
    fake_tits: 'No',
    career_length: '2012 - 2020',
    tattoos: 'A swallow on the left wrist',
    piercings: 'Ears',
    aliases: 'R. Vale, Wren Vale',
  }),
  known('Robin Valentine', {
    birthdate: '1985-02-14',
    country: 'FR',
    eye_color: 'Brown',
    height: '165',
    fake_tits: 'No',
    career_length: '2008 -',
    aliases: 'Val',
  }),
  known("Maeve O'Connell", {
    instagram: 'https://instagram.example/maeve.oconnell',
    birthdate: '1993-11-30',
    ethnicity: 'Caucasian',
    country: 'IE',
    eye_color: 'Blue',
    height: '168',
    tattoos: 'A harp on the shoulder',
    aliases: 'Maeve OConnell',
  }),
  known('Zoë Lindström', {
    twitter: 'https://twitter.example/zoelindstrom',
    birthdate: '1988-07-01',
    country: 'SE',
    eye_color: 'Grey',
    height: '178',
    measurements: '88-63-90',
    career_length: '2010 - 2016',
    aliases: 'Zoe Lindstrom',
  }),
  known('Amara Osei', {
    birthdate: '1995-03-22',
    ethnicity: 'Black',
    country: 'GH',
    eye_color: 'Brown',
    height: '170',
    piercings: 'Nose',
  }),
  known('Hana Mori', {
    birthdate: '1991-09-09',
    ethnicity: 'Asian',
    country: 'JP',
    eye_color: 'Brown',
    height: '158',
    aliases: 'Flora Mori',
  }),
  known('Marco Bellini', {
    birthdate: '1982-12-05',
    ethnicity: 'Caucasian',
    country: 'IT',
    eye_color: 'Hazel',
    height: '185',
    career_length: '2004 - 2019',
    tattoos: 'None',
    piercings: 'None',
  }),
  // The site knows only the name of these.
  known('Juniper Lake', {}),
];

/** Other invented people, on the site of an added scraper. */
export const LOCAL_PERFORMERS: readonly Performer[] = [
  // Two people with one name.
  local('Alex Moreno', 'alex-moreno', {
    gender: 'MALE',
    disambiguation: 'actor',
    birthdate: '1979-05-30',
    country: 'ES',
    details: 'On stage since 1999.',
    remote_site_id: '1044',
    images: [PICTURE],
  }),
  local('Alex Moreno', 'alex-moreno-2', { gender: 'FEMALE', birthdate: '1996-08-17', country: 'AR' }),
  local('Inês Duarte', 'ines-duarte', { birthdate: '1990-01-08', country: 'PT', aliases: 'Ines Duarte' }),
  // The site knows everything about this one.
  local('Noor Haddad', 'noor-haddad', {
    ...{ gender: 'Male', disambiguation: 'singer', birthdate: '1985-07-02', death_date: '2019-01-30' },
    ...{ ethnicity: 'Middle Eastern', country: 'LB', eye_color: 'Brown', hair_color: 'Black' },
    ...{
      height: '181',
      weight: '78',
      measurements: '102-81-96',
      fake_tits: 'No',
      career_length: '2005 - 2018',
    },
    ...{ penis_length: '17', circumcised: 'Cut', tattoos: 'An anchor', piercings: 'None' },
    ...{ aliases: 'N. Haddad', details: 'Sang in three languages.', images: [PICTURE] },
    ...{ twitter: 'https://twitter.com/noor', instagram: 'https://instagram.com/noor' },
    urls: ['https://noor.example', 'https://twitter.com/noor', 'https://instagram.com/noor'],
  }),
];

function known(name: string, attributes: Partial<Performer>): Performer {
  const page = encodeURIComponent(name.toLowerCase().replaceAll(' ', '-'));
  return { name, url: `https://performers.example/${page}`, ...UNKNOWN, ...attributes };
}

function local(name: string, page: string, attributes: Partial<Performer>): Performer {
  return { name, url: `https://localtest.example/${page}`, ...UNKNOWN, ...attributes };
}
