// The large responses of the benchmark: what is asked, and what the server responds.

export const studioFields = ['id', 'checksum', 'url', 'name', 'image_path', 'scene_count'];

/** By the id of the node that asks. */
export const trials = {
  studios: {
    what: '50,000 studios',
    document: `{ allStudios { ${studioFields.join(' ')} } }`,
    data: () => ({ allStudios: Array.from({ length: 50_000 }, (_, index) => studio(index + 1)) }),
  },
  names: {
    what: 'the names of 1,000,000 performers',
    document: '{ allPerformers { name } }',
    data: () => ({
      allPerformers: Array.from({ length: 1_000_000 }, (_, index) => ({ name: `Performer ${index + 1}` })),
    }),
  },
};

function studio(id) {
  return {
    id: String(id),
    checksum: id.toString(16).padStart(32, '0'),
    url: id % 3 === 0 ? null : `https://studio-${id}.example`,
    name: `Studio ${id}`,
    image_path: `http://127.0.0.1:9999/studio/${id}/image?t=1600000000`,
    scene_count: id % 1000,
  };
}
